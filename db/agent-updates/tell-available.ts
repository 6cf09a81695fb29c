import { type Kysely, sql } from 'kysely';
import {
  type AvailableUpdate,
  agentUpdateAvailable,
} from '../../domain/notifications/messages/agent-update-available.ts';
import { type Author, effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';
import { type AgentReleaseView, currentRelease } from './agent-releases.ts';
import { isLeftToPeople } from './follow-release.ts';

const author: Author = { kind: 'machine', id: 'sweeper', name: 'sweeper' };
const most = 200;

interface Untold extends AvailableUpdate {
  organizationId: string;
}

/**
 * Tells admins of each cluster whose agent runs another release than the offered one, and answers how many were told. Once for
 * each release, whether it came with a new control plane or an old agent was enrolled, and whether somebody was there to hear it.
 */
export async function tellAvailableUpdates(database: Database): Promise<number> {
  const release = await currentRelease(database.kysely);
  if (release === undefined) return 0;
  let told = 0;
  for (const { clusterId } of await untold(database.kysely, release)) {
    if (await tellOne(database, release, clusterId)) told += 1;
  }
  return told;
}

async function tellOne(database: Database, release: AgentReleaseView, clusterId: string): Promise<boolean> {
  return await effect(database, author, async (telling) => {
    const [still] = await untold(telling.kysely, release, clusterId);
    if (still === undefined) return false;
    const { organizationId, ...update } = still;
    await telling.kysely
      .updateTable('cluster_agent')
      .set({ update_told_for: release.image })
      .where('cluster_id', '=', clusterId)
      .execute();
    await notify(telling, {
      organizationId,
      occasion: `agent-update ${clusterId} ${release.image}`,
      message: agentUpdateAvailable(update),
      to: { admins: true },
    });
    return true;
  });
}

/**
 * Not those that are updated right now, that follow by themselves, or whose people rolled this very release back. One
 * cluster's agent is locked, unless somebody has: then the next sweep tells.
 */
async function untold(kysely: Kysely<Tables>, release: AgentReleaseView, clusterId?: string): Promise<Untold[]> {
  const { image } = release;
  const { rows } = await sql<Untold>`
    select agent.cluster_id as "clusterId", agent.organization_id as "organizationId", cluster.name,
           agent.image as "from", ${image}::text as "to"
    from cluster_agent agent
    join cluster on cluster.id = agent.cluster_id and cluster.finished_at is null and cluster.state <> 'deleting'
    join organization on organization.id = agent.organization_id and organization.deletion_id is null
    where agent.contact = 'connected' and agent.image <> ${image} and agent.update_told_for is distinct from ${image}
      and not exists (
        select from agent_update attempt
        where attempt.cluster_id = agent.cluster_id
          and (attempt.finished_at is null or attempt.kind = 'rollback' and attempt.from_image = ${image}))
      and (not cluster.local or ${isLeftToPeople(release)})
      ${clusterId === undefined ? sql`` : sql`and agent.cluster_id = ${clusterId}`}
    limit ${most}
    ${clusterId === undefined ? sql`` : sql`for update of agent skip locked`}
  `.execute(kysely);
  return rows;
}
