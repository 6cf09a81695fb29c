import { CompiledQuery, type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import type { ClusterState } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import { type ClusterRef, lockCluster, recordCluster, wakeAgent } from '../clusters/clusters.ts';
import { useEnrollmentToken } from '../clusters/enrollment-tokens.ts';
import type { Effect } from '../engine/effect.ts';
import { resolveIncidents } from '../notification-channels/tell-channels.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { loseCommands } from './lose-commands.ts';
import { forgetMachine } from './reports.ts';

/** The facts that every request of an agent is checked against, read in one statement. */
export interface AgentCredential {
  clusterId: string;
  organizationId: string;
  clusterName: string;
  clusterState: ClusterState;
  organizationDeleted: boolean;
  contact: 'never' | 'connected' | 'lost';
  incarnation: number;
  journalId: string | null;
  /** The protocol that both sides speak since its last hello. */
  protocolMinor: number;
  desiredRevision: number;
  /** True for the first use of the credential that the agent is rotating to. */
  next: boolean;
  /** True for a credential so old that the agent should rotate it. */
  rotate: boolean;
}

const rotateAfterDays = 30;

const credentialQuery = `
  select agent.cluster_id as "clusterId", agent.organization_id as "organizationId", cluster.name as "clusterName",
         cluster.state as "clusterState", organization.deletion_id is not null as "organizationDeleted",
         agent.contact, agent.incarnation, agent.journal_id as "journalId",
         agent.protocol_minor as "protocolMinor", cluster.desired_revision as "desiredRevision",
         coalesce(agent.next_credential_hash = $1, false) as next,
         agent.credential_since < now() - interval '${rotateAfterDays} days' as rotate
  from cluster_agent agent
  join cluster on cluster.id = agent.cluster_id
  join organization on organization.id = agent.organization_id
  where agent.credential_hash = $1 or agent.next_credential_hash = $1`;

export async function agentCredential(kysely: Kysely<Tables>, hash: Buffer): Promise<AgentCredential | undefined> {
  const { rows } = await kysely.executeQuery<AgentCredential>(CompiledQuery.raw(credentialQuery, [hash]));
  return rows[0];
}

/** The credential that the agent changed to was used: from now on it is the only one. */
export async function promoteCredential(kysely: Kysely<Tables>, hash: Buffer): Promise<void> {
  await kysely
    .updateTable('cluster_agent')
    .set({ credential_hash: hash, next_credential_hash: null, credential_since: sql`now()` })
    .where('next_credential_hash', '=', hash)
    .execute();
}

/** The agent has made itself another credential; the present one holds until that one is used. */
export async function changeCredential(kysely: Kysely<Tables>, clusterId: string, hash: Buffer): Promise<void> {
  await ownCredential(kysely, clusterId, hash, () =>
    kysely
      .updateTable('cluster_agent')
      .set({ next_credential_hash: hash })
      .where('cluster_id', '=', clusterId)
      .where('credential_hash', '<>', hash)
      .execute(),
  );
}

/** Writes a credential that no other agent has or changes to: who shows one must be one agent only. */
async function ownCredential(
  kysely: Kysely<Tables>,
  clusterId: string,
  hash: Buffer,
  write: () => Promise<unknown>,
): Promise<void> {
  const taken = new Problem('enrollment-refused', 'Another agent already uses this credential: create a new one.');
  const other = await agentCredential(kysely, hash);
  if (other !== undefined && other.clusterId !== clusterId) throw taken;
  try {
    await write();
  } catch (error) {
    throw uniqueViolation(error) === undefined ? error : taken;
  }
}

export interface Enrolment {
  token: string;
  credentialHash: Buffer;
  version: string;
  hostname: string;
}

/** Takes an agent on for the cluster of its token. Whoever was its agent before is refused from now on. */
export async function enrolAgent(effect: Effect, enrolment: Enrolment): Promise<ClusterRef & { name: string }> {
  const { credentialHash, version, hostname } = enrolment;
  const { again, ...cluster } = await useEnrollmentToken(effect, enrolment.token, credentialHash);
  const row = await lockCluster(effect, cluster);
  const agent = await lockAgent(effect, cluster.id);
  if (row === undefined || row.state === 'deleting' || agent === undefined) {
    throw new Problem(
      'cluster-deleted',
      'The cluster of this enrollment token was deleted: create a token for another cluster.',
    );
  }
  if (again) return { ...cluster, name: row.name };
  await ownCredential(effect.kysely, cluster.id, credentialHash, () =>
    effect.kysely
      .updateTable('cluster_agent')
      .set({
        credential_hash: credentialHash,
        next_credential_hash: null,
        credential_since: sql`now()`,
        enrolled_at: sql`now()`,
        contact: 'never',
        version,
        // Of another agent: what its predecessor counted is no measure for it.
        incarnation: 0,
        report_number: 0,
      })
      .where('cluster_id', '=', cluster.id)
      .execute(),
  );
  wakeAgent(effect, cluster);
  const details = { hostname, version, replaced: agent.enrolled };
  tellCluster(effect, cluster, 'enrolled', { ...details, at: agent.now });
  recordCluster(effect, 'cluster.agent_enrolled', { ...cluster, name: row.name }, details);
  return { ...cluster, name: row.name };
}

/** The agent's credential is refused from the next request on, and what it saw is no longer known. */
export async function revokeAgent(effect: Effect, cluster: ClusterRef): Promise<void> {
  const row = await lockCluster(effect, cluster);
  const agent = await lockAgent(effect, cluster.id);
  if (row === undefined || agent === undefined) throw new Problem('not-found', 'There is no such cluster.');
  if (!agent.enrolled) throw new Problem('conflict', `The cluster "${row.name}" has no agent to revoke.`);
  await effect.kysely
    .updateTable('cluster_agent')
    .set({
      credential_hash: null,
      next_credential_hash: null,
      credential_since: null,
      enrolled_at: null,
      contact: 'never',
      error: null,
      told_trouble: null,
      applied_revision: 0,
      incarnation: 0,
      report_number: 0,
    })
    .where('cluster_id', '=', cluster.id)
    .execute();
  await forgetMachine(effect, cluster);
  await loseCommands(effect, cluster.id, undefined);
  wakeAgent(effect, cluster);
  tellCluster(effect, cluster, 'revoked', { at: agent.now });
  recordCluster(effect, 'cluster.agent_revoked', { ...cluster, name: row.name });
}

export interface Hello {
  minor: number;
  version: string;
  image: string;
  journalId: string;
  journalled: readonly string[];
  facts: JsonObject;
  returned?: { from: string; reason: string } | undefined;
}

/** An agent has started: it gets the next incarnation, and all older ones are refused. */
export async function welcomeAgent(
  effect: Effect,
  cluster: ClusterRef,
  credentialHash: Buffer,
  hello: Hello,
): Promise<{ incarnation: number }> {
  const { kysely } = effect;
  const agent = await lockAgent(effect, cluster.id);
  // Revoked or replaced between the check of its credential and here.
  if (!agent?.credentialHash?.equals(credentialHash)) {
    throw new Problem('no-credential', 'The credential of this agent was revoked: enrol the agent again.');
  }
  const { incarnation } = await kysely
    .updateTable('cluster_agent')
    .set({
      incarnation: sql`case when incarnation >= ${highestIncarnation} then 1 else incarnation + 1 end`,
      journal_id: hello.journalId,
      protocol_minor: hello.minor,
      version: hello.version,
      image: hello.image,
      facts: hello.facts,
      connected_at: sql`now()`,
      last_heartbeat_at: sql`now()`,
      report_number: 0,
      contact: 'connected',
    })
    .where('cluster_id', '=', cluster.id)
    .returning('incarnation')
    .executeTakeFirstOrThrow();
  wakeAgent(effect, cluster);
  await loseCommands(effect, cluster.id, hello);
  const update = await kysely
    .selectFrom('agent_update')
    .select('id')
    .where('cluster_id', '=', cluster.id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (update !== undefined) {
    const body: JsonObject = { image: hello.image, version: hello.version, returned: hello.returned ?? null };
    effect.tell({
      to: actorId('agent-update', update.id),
      message: 'hello',
      organizationId: cluster.organizationId,
      body,
    });
  }
  const { version, image } = hello;
  if (agent.contact === 'never') tellCluster(effect, cluster, 'connected', { at: agent.now, version, image });
  if (agent.contact === 'lost') tellCluster(effect, cluster, 'back', { at: agent.now, version, image });
  // Of one that was never in contact, too: it may have replaced an agent that was lost.
  if (agent.contact !== 'connected') await resolveIncidents(effect, cluster.organizationId, `cluster ${cluster.id}`);
  effect.change({ organizationId: cluster.organizationId, kind: 'cluster', id: cluster.id });
  return { incarnation };
}

/** Counted up to here, it begins again. */
export const highestIncarnation = 2_000_000_000;
/** So many starts of an agent can be missing in a database that was restored; more were not counted but invented. */
export const largestIncarnationStep = 1_000;

/** An agent speaks with a higher incarnation than ours: the database was restored to an older state. It is believed. */
export async function adoptIncarnation(kysely: Kysely<Tables>, clusterId: string, incarnation: number): Promise<void> {
  await kysely
    .updateTable('cluster_agent')
    .set({ incarnation, report_number: 0 })
    .where('cluster_id', '=', clusterId)
    .where('incarnation', '<', incarnation)
    .execute();
}

/** Something was heard of an agent that had said hello and whose contact had been declared lost. */
export async function regainContact(effect: Effect, cluster: ClusterRef, incarnation: number): Promise<void> {
  const agent = await lockAgent(effect, cluster.id);
  if (agent === undefined || agent.contact === 'connected' || agent.incarnation !== incarnation) return;
  await effect.kysely
    .updateTable('cluster_agent')
    .set({ contact: 'connected', last_heartbeat_at: sql`now()` })
    .where('cluster_id', '=', cluster.id)
    .execute();
  tellCluster(effect, cluster, agent.contact === 'lost' ? 'back' : 'connected', { at: agent.now });
  await resolveIncidents(effect, cluster.organizationId, `cluster ${cluster.id}`);
  effect.change({ organizationId: cluster.organizationId, kind: 'cluster', id: cluster.id });
}

/** The agent's row, kept from others until the transaction ends: what its cluster is told is told in order. */
export async function lockAgent(effect: Effect, clusterId: string) {
  const row = await effect.kysely
    .selectFrom('cluster_agent')
    .select(['contact', 'incarnation', 'credential_hash as credentialHash'])
    .select(sql<string>`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.as('now'))
    .where('cluster_id', '=', clusterId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : { ...row, enrolled: row.credentialHash !== null };
}

export function tellCluster(effect: Effect, cluster: ClusterRef, message: string, body: JsonObject): void {
  effect.tell({ to: actorId('cluster', cluster.id), message, organizationId: cluster.organizationId, body });
}
