import { type Kysely, sql } from 'kysely';
import { lostAfterSeconds } from '../../domain/clusters/clusters.ts';
import { clusterLost } from '../../domain/notifications/messages.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import { endCommand } from '../commands/cluster-commands.ts';
import { type Author, effect } from '../engine/effect.ts';
import { livingSeconds } from '../engine/processes/processes.ts';
import { notify } from '../notifications/notify.ts';
import { lockTimeout } from '../postgres/connection-failure.ts';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { lockAgent, tellCluster } from './cluster-agents.ts';

const author: Author = { kind: 'machine', id: 'sweeper', name: 'sweeper' };
const most = 200;

/**
 * Declares those lost of whom nothing was heard for a while, and answers how many. Silence counts from when somebody
 * listened: while no API was there, or none could reach the database, nobody could be heard.
 */
export async function declareLost(database: Database): Promise<number> {
  let lost = 0;
  for (const cluster of await silent(database.kysely)) {
    if (await unlessLocked(() => declareOneLost(database, cluster))) lost += 1;
  }
  return lost;
}

async function declareOneLost(database: Database, cluster: ClusterRef): Promise<boolean> {
  return await effect(database, author, async (declaring) => {
    const agent = await lockAgent(declaring, cluster.id);
    const [still] = await silent(declaring.kysely, cluster.id);
    if (agent === undefined || still === undefined) return false;
    await declaring.kysely
      .updateTable('cluster_agent')
      .set({ contact: 'lost' })
      .where('cluster_id', '=', cluster.id)
      .execute();
    tellCluster(declaring, cluster, 'lost', { at: agent.now, lastHeardOf: still.lastHeardOf.toISOString() });
    declaring.change({ organizationId: cluster.organizationId, kind: 'cluster', id: cluster.id });
    await notify(declaring, {
      organizationId: cluster.organizationId,
      occasion: `cluster ${cluster.id} lost after ${still.lastHeardOf.toISOString()}`,
      message: clusterLost({ clusterId: cluster.id, name: still.name }),
      to: { admins: true },
      // Of a cluster that is being deleted nothing would ever resolve it.
      channels: { chat: true, ...(still.deleting ? {} : { incident: `cluster ${cluster.id}` }) },
    });
    return true;
  });
}

/** A row that somebody keeps locked is left to the next sweep: the others must not wait for it. */
async function unlessLocked(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (lockTimeout(error)) return false;
    throw error;
  }
}

interface Silent extends ClusterRef {
  name: string;
  lastHeardOf: Date;
  deleting: boolean;
}

async function silent(kysely: Kysely<Tables>, clusterId?: string): Promise<Silent[]> {
  const { rows } = await sql<Silent>`
    with listening as (
      select min(present_since) as since from process
      where kind = 'api' and seen_at > now() - make_interval(secs => ${livingSeconds})
    )
    select agent.cluster_id as id, agent.organization_id as "organizationId",
           cluster.name, cluster.state = 'deleting' as deleting, agent.last_heartbeat_at as "lastHeardOf"
    from listening, cluster_agent agent
    join cluster on cluster.id = agent.cluster_id and cluster.finished_at is null
    join organization on organization.id = agent.organization_id and organization.deletion_id is null
    where agent.contact = 'connected' and listening.since is not null
      and now() - greatest(agent.last_heartbeat_at, listening.since) > make_interval(secs => ${lostAfterSeconds})
      ${clusterId === undefined ? sql`` : sql`and agent.cluster_id = ${clusterId}`}
    limit ${most}
  `.execute(kysely);
  return rows;
}

/** Ends commands that nobody will end any more: not taken in time, or taken by an agent that is gone. */
export async function endForsakenCommands(database: Database): Promise<number> {
  const { rows } = await sql<{ id: string; state: 'queued' | 'delivered' }>`
    select command.id, command.state
    from cluster_command command
    join cluster_agent agent on agent.cluster_id = command.cluster_id
    where command.finished_at is null and (
      command.state = 'queued' and command.expires_at < now()
      or command.state = 'delivered' and command.lease_until < now() and (
        command.journal_id is distinct from agent.journal_id
        or agent.contact <> 'connected' and command.lease_until < now() - interval '1 hour'))
    limit ${most}
  `.execute(database.kysely);
  let ended = 0;
  for (const { id, state } of rows) {
    const end = endings[state];
    const done = await unlessLocked(async () => {
      await effect(database, author, (ending) => endCommand(ending, id, end));
      return true;
    });
    if (done) ended += 1;
  }
  return ended;
}

const endings = {
  queued: { state: 'expired', message: 'The agent did not accept the command in time.' },
  delivered: { state: 'lost', message: 'The agent that had accepted the command never reconnected.' },
} as const;
