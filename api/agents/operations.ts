import { z } from 'zod';
import { currentRelease, findRelease } from '../../db/agent-updates/agent-releases.ts';
import {
  type AgentUpdateView,
  agentStatus,
  cancelAgentUpdate as cancel,
  hasRunImage,
  requestAgentUpdate,
} from '../../db/agent-updates/agent-updates.ts';
import { revokeAgent as revoke } from '../../db/agents/cluster-agents.ts';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { Problem } from '../../domain/problems.ts';
import { agentUpdateStates } from '../../workflows/agent-update/descriptor.ts';
import { asOf, asOfSchema, theCluster } from '../clusters/cluster.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';

export const agentUpdateSchema = z
  .object({
    id: z.guid(),
    kind: z.enum(['update', 'rollback']),
    status: z.enum(agentUpdateStates),
    fromImage: z.string(),
    toImage: z.string(),
    message: z.string().describe('The reason for its state; may be empty.'),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'AgentUpdateAttempt' });

export const agentStatusSchema = z
  .object({
    currentImage: z.string().describe('The release that the agent runs; empty before it has reported.'),
    currentVersion: z.string(),
    availableImage: z.string().describe('The release that this control plane offers; empty while it is being built.'),
    updateAvailable: z.boolean(),
    asOf: asOfSchema.optional(),
    history: z.array(agentUpdateSchema).describe('The last attempts, newest first.'),
    inProgress: z.object({ id: z.guid(), startedAt: z.iso.datetime(), toImage: z.string() }).optional(),
  })
  .meta({ id: 'AgentStatus' });

/** A release of the agent, as in `ballast-agent:1.2.3-0123456789ab`. */
const agentImage = z.string().min(1).max(200);

function presentUpdate(update: AgentUpdateView): AnswerOf<typeof agentUpdateSchema> {
  return { ...update, status: update.state, message: update.message ?? '', startedAt: update.createdAt };
}

const cancelAgentUpdate = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/agent/update',
  summary: 'Cancel a running update of the agent',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['already-decided'],
  of: theCluster,
  result: agentUpdateSchema,
  async handle({ found, effect }) {
    return presentUpdate(await cancel(effect, found));
  },
});

const getAgent = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/agent',
  summary: 'Get the agent of a cluster and its updates',
  role: 'viewer',
  projectTokens: 'refused',
  of: theCluster,
  result: agentStatusSchema,
  async handle({ found: cluster, database }) {
    const { image, version } = cluster.agent;
    const available = (await currentRelease(database.kysely))?.image ?? '';
    const { open, attempts } = await agentStatus(database.kysely, cluster);
    return {
      currentImage: image ?? '',
      currentVersion: version ?? '',
      availableImage: available,
      updateAvailable: image !== null && available !== '' && image !== available,
      ...asOf(cluster),
      history: attempts.map(presentUpdate),
      inProgress: open && { ...open, startedAt: open.createdAt },
    };
  },
});

const revokeAgent = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/agent',
  summary: 'Revoke the credential of the agent of a cluster',
  description:
    'The agent is refused from its next request on, and the cluster waits for another one. Instances on the machine keep running until somebody stops them; the control plane forgets its last observations.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict'],
  of: theCluster,
  async handle({ found, effect }) {
    await revoke(effect, found);
  },
});

const rollbackAgent = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/agent/rollback',
  summary: 'Roll back the agent of a cluster',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'cluster-not-ready', 'update-in-progress'],
  of: theCluster,
  body: z.strictObject({ image: agentImage }),
  status: 202,
  result: agentUpdateSchema,
  async handle({ found: cluster, body, effect }) {
    const { image } = body;
    refuseSame(cluster, image);
    const fault = (message: string) => invalidField('body.image', message, image);
    if (!(await hasRunImage(effect.kysely, cluster, image))) {
      throw fault('is no release that this cluster ran before; its history is in GET /clusters/{id}/agent');
    }
    if ((await findRelease(effect.kysely, { image })) === undefined) {
      throw fault('is no release that this control plane still has');
    }
    return presentUpdate(await requestAgentUpdate(effect, cluster, { kind: 'rollback', toImage: image }));
  },
});

const updateAgent = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/agent/update',
  summary: 'Update the agent of a cluster',
  description:
    'Installs the release that this control plane offers, unless `image` names another. Instances keep running meanwhile; an agent whose new release does not work rolls back by itself. One update at a time.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'cluster-not-ready', 'update-in-progress'],
  of: theCluster,
  body: z.strictObject({ image: agentImage.optional() }).optional(),
  status: 202,
  result: agentUpdateSchema,
  async handle({ found: cluster, body, effect }) {
    const toImage = body?.image === undefined ? await offered(effect) : await known(effect, body.image);
    refuseSame(cluster, toImage);
    return presentUpdate(await requestAgentUpdate(effect, cluster, { kind: 'update', toImage }));
  },
});

function refuseSame({ name, agent }: ClusterView, image: string): void {
  if (agent.image === image) throw new Problem('conflict', `The agent of "${name}" runs ${image} already.`);
}

async function offered({ kysely }: Effect): Promise<string> {
  const release = await currentRelease(kysely);
  if (release !== undefined) return release.image;
  throw new Problem(
    'conflict',
    'This control plane is still building its release of the agent; try again in a minute.',
  );
}

async function known({ kysely }: Effect, image: string): Promise<string> {
  if ((await findRelease(kysely, { image })) !== undefined) return image;
  const message = 'is no release of the agent that this control plane has; leave it out to take the offered one';
  throw invalidField('body.image', message, image);
}

export const agents = { agent: getAgent, updateAgent, cancelAgentUpdate, rollbackAgent, revokeAgent };
