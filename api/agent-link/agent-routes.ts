import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { currentRelease, followRelease } from '../../db/agent-updates/agent-releases.ts';
import { enrolAgent, welcomeAgent } from '../../db/agents/cluster-agents.ts';
import type { Heartbeats } from '../../db/agents/heartbeats.ts';
import { acceptReport } from '../../db/agents/reports.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import type { JsonObject } from '../../db/postgres/json.ts';
import { heartbeatSeconds } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import {
  type EnrolAnswer,
  enrolRequest,
  type HelloAnswer,
  type heartbeatAnswer,
  heartbeatRequest,
  helloRequest,
} from '../../protocol/agent.ts';
import { report as reportBody } from '../../protocol/observed.ts';
import { trust } from '../../protocol/release-proof.ts';
import { agree } from '../../protocol/version.ts';
import { bundle, installScript, nodeRuntime, release } from '../agent-releases/release.ts';
import { sourceOfBuild } from '../builds/sources.ts';
import { commandResult } from '../commands/command.ts';
import { commandOutput } from '../commands/command-output.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { rateClasses } from '../engine/limits/rate-classes.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { logBatch } from '../logs/log-line.ts';
import { maskFailures } from '../logs/read-log.ts';
import type { BlobStore } from '../registry/storage/blob-store.ts';
import { superseded } from './admit-agent.ts';
import { agentRoute, credential, incarnationRoute, mustFit, openRoute, Pace, tooMany } from './agent-route.ts';
import { work } from './work.ts';

/** Takes an agent on for the cluster whose token it shows. */
const enrol = openRoute({
  method: 'POST',
  url: 'enrol',
  body: enrolRequest,
  async admit({ server, from }) {
    await server.rates.spend('agent-enrol', from.address, rateClasses.credentials);
  },
  async handle({ server, body, from, request }): Promise<EnrolAnswer> {
    const agreed = agree(body.protocol);
    if ('refused' in agreed) throw new Problem('protocol-too-old', agreed.refused);
    const { token, credentialHash, version, hostname } = body;
    const author: Author = {
      kind: 'machine',
      id: 'agent',
      name: `agent on ${hostname}`,
      ip: from.address,
      requestId: request.id,
    };
    const enrolment = { token, credentialHash: Buffer.from(credentialHash, 'hex'), version, hostname };
    const { id, name } = await effect(server.database, author, (enrolling) => enrolAgent(enrolling, enrolment));
    return {
      clusterId: id,
      clusterName: name,
      publicUrl: server.settings.PUBLIC_URL,
      controlPlaneVersion: server.version,
    };
  },
});

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly heartbeats: Heartbeats;
  }
}

/** Answered at once, written together with those of others: a crash loses half a second of them. */
const heartbeat = incarnationRoute({
  method: 'POST',
  url: 'heartbeat',
  body: heartbeatRequest,
  bodyLimit: 1024 * 1024,
  async handle({ server, body }, agent, incarnation): Promise<z.infer<typeof heartbeatAnswer>> {
    const facts = body.facts === undefined ? undefined : JSON.parse(JSON.stringify(body.facts));
    server.heartbeats.add(agent.clusterId, { incarnation, running: body.running, facts });
    return { rotate: agent.rotate };
  },
});

/** Each hello creates an incarnation and wakes an update's actor: an agent that keeps restarting is slowed down. */
const hellos = new Pace({ perSecond: 0.5, atOnce: 30 });

/** An agent has started. It gets the next incarnation, and the agent that spoke for the cluster before is refused. */
const hello = agentRoute({
  method: 'POST',
  url: 'hello',
  body: helloRequest,
  bodyLimit: 1024 * 1024,
  async handle({ server, body }, agent): Promise<HelloAnswer> {
    if (!hellos.allows(agent.clusterId)) throw tooMany(2);
    const agreed = agree(body.protocol);
    if ('refused' in agreed) throw new Problem('protocol-too-old', agreed.refused);
    const { version, image, journalId, journalled, returned } = body;
    const facts: JsonObject = JSON.parse(JSON.stringify(body.facts));
    const said = { minor: agreed.minor, version, image, journalId, journalled, facts, returned };
    const { incarnation } = await effect(server.database, agent.author, (welcoming) =>
      welcomeAgent(welcoming, agent.cluster, agent.credentialHash, said),
    );
    // Not within the welcome: whether it can be updated is no reason to refuse it.
    await followRelease(server.database, agent.cluster).catch((error: unknown) => {
      server.log.warn({ err: error }, 'The agent of the local cluster was not asked to update');
    });
    const keys = trust.safeParse((await currentRelease(server.database.kysely))?.proof).data;
    return {
      incarnation,
      minor: agreed.minor,
      clusterId: agent.clusterId,
      clusterName: agent.clusterName,
      heartbeatSeconds,
      ingressDomain: server.settings.INGRESS_DOMAIN,
      ...(keys === undefined ? {} : { trust: keys }),
    };
  },
});

/**
 * How often a cluster's actor is told of trouble that comes and goes. What it is not told now is found out with a later
 * report: everything is reported again every ten minutes.
 */
const troubles = new Pace({ perSecond: 1 / 30, atOnce: 10 });

/** The agent's observations. A report that was seen already is answered and changes nothing. */
const report = incarnationRoute({
  method: 'POST',
  url: 'report',
  body: reportBody,
  bodyLimit: 4 * 1024 * 1024,
  async handle({ server, body }, agent, incarnation): Promise<void> {
    mustFit('body', body.number, body.appliedRevision, ...body.slices.map(({ appliedRevision }) => appliedRevision));
    const masked = await maskFailures(server, agent.cluster.organizationId, body);
    const accepted = await effect(server.database, agent.author, (accepting) =>
      acceptReport(accepting, agent.cluster, incarnation, masked, () => troubles.allows(agent.clusterId)),
    );
    if (accepted === 'superseded') throw await superseded(server, agent, incarnation);
    if (accepted === 'changed') server.heartbeats.changed(agent.cluster);
  },
});

const routes = [enrol, hello, heartbeat, report, work, commandOutput, commandResult, logBatch, credential];
const downloads = [release, bundle, nodeRuntime, installScript];

/** The protocol between agents and control plane: docs/agent-protocol.md. No part of the API for people. */
export function agentRoutes(
  app: FastifyInstance,
  server: ServerParts,
  clients: ClientAddress,
  blobs: Pick<BlobStore, 'readBlob'>,
): void {
  for (const route of [...routes, ...downloads, sourceOfBuild(blobs)]) route.mount(app, server, clients);
  app.addHook('preClose', async () => server.bell.close());
  app.addHook('onClose', async () => {
    await server.heartbeats.close();
    await server.logReaders.close();
  });
}
