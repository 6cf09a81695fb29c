import {
  type AgentCredential,
  adoptIncarnation,
  agentCredential,
  highestIncarnation,
  largestIncarnationStep,
  promoteCredential,
  regainContact,
} from '../../db/agents/cluster-agents.ts';
import { insertClusterEvent } from '../../db/clusters/cluster-events.ts';
import type { ClusterRef } from '../../db/clusters/clusters.ts';
import { type Author, effect } from '../../db/engine/effect.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { Problem } from '../../domain/problems.ts';
import { incarnationHeader } from '../../protocol/agent.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** An agent whose credential is good. */
export interface AdmittedAgent extends AgentCredential {
  cluster: ClusterRef;
  credentialHash: Buffer;
  author: Author;
}

export interface AgentHeaders {
  authorization?: string | undefined;
  [incarnationHeader]?: string | string[] | undefined;
}

export interface From {
  address: string;
  requestId: string;
}

/** Wrong credentials of one address a minute, before it is not even looked up any more. */
const wrongPerMinute = 120;

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([A-Za-z0-9_-]{16,200})$/i.exec(authorization ?? '')?.[1];
}

/** Who speaks, by its credential. What is wrong with it is said in a sentence; 401 is never answered. */
export async function admitAgent(server: ServerParts, headers: AgentHeaders, from: From): Promise<AdmittedAgent> {
  const secret = bearerOf(headers.authorization);
  const credentialHash = secret === undefined ? undefined : hashSecret(secret);
  const { kysely } = server.database;
  const credential = credentialHash && (await agentCredential(kysely, credentialHash));
  if (credentialHash === undefined || credential === undefined) {
    await server.rates.spend('agent-credential', from.address, wrongPerMinute);
    throw new Problem(
      'no-credential',
      'This control plane does not know the credential of the agent, or it was revoked: enrol the agent again.',
    );
  }
  const { clusterId, organizationId, clusterName, clusterState } = credential;
  if (credential.organizationDeleted) {
    throw new Problem(
      'no-credential',
      'The organization of this cluster is deleted; the agent connects again if it is restored.',
    );
  }
  // Only a cluster that a person deleted: after anything else its agent is heard again as soon as its actor is.
  if (clusterState === 'deleting' || clusterState === 'deleted') {
    throw new Problem(
      'cluster-deleted',
      `The cluster "${clusterName}" was deleted: this agent is not needed any more.`,
    );
  }
  if (credential.next) await promoteCredential(kysely, credentialHash);
  const author: Author = {
    kind: 'machine',
    id: `agent/${clusterId}`,
    name: `agent of ${clusterName}`,
    ip: from.address,
    requestId: from.requestId,
  };
  return { ...credential, cluster: { id: clusterId, organizationId }, credentialHash, author };
}

/** The incarnation that a request names, if it is the one that counts. */
export async function currentIncarnation(
  server: ServerParts,
  agent: AdmittedAgent,
  headers: AgentHeaders,
): Promise<number> {
  const given = Number(headers[incarnationHeader]);
  if (!Number.isSafeInteger(given) || given < 1 || given > highestIncarnation) {
    throw new Problem('invalid-request', `The header ${incarnationHeader} is missing: say hello first.`);
  }
  if (given > agent.incarnation + largestIncarnationStep) {
    throw new Problem(
      'invalid-request',
      `This control plane gave the agent of "${agent.clusterName}" no incarnation ${given}: start the agent again.`,
    );
  }
  if (given < agent.incarnation) throw await superseded(server, agent, given);
  if (given > agent.incarnation) await adoptIncarnation(server.database.kysely, agent.clusterId, given);
  if (agent.contact !== 'connected') {
    await effect(server.database, agent.author, (regaining) => regainContact(regaining, agent.cluster, given));
  }
  return given;
}

/** Two agents with one identity: the older one is told to stop, and people are told once. */
export async function superseded(server: ServerParts, agent: AdmittedAgent, incarnation: number): Promise<Problem> {
  const { clusterId, organizationId } = agent;
  const occasion = `superseded ${incarnation}`;
  const payload = { incarnation, by: agent.incarnation };
  await effect(server.database, agent.author, (telling) =>
    insertClusterEvent(telling, { organizationId, clusterId, kind: 'agent.superseded', occasion, payload }),
  );
  return new Problem(
    'superseded',
    `Another agent of the cluster "${agent.clusterName}" has said hello after this one: this one must stop.`,
  );
}
