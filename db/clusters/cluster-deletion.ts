import { type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { isClusterLiving } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import { heldOnCluster } from '../deletions/data/held-on-cluster.ts';
import type { Effect } from '../engine/effect.ts';
import { resolveIncidents } from '../notification-channels/tell-channels.ts';
import type { Tables } from '../postgres/tables.ts';
import { type ClusterRef, lockCluster, recordCluster, wakeAgent } from './clusters.ts';

/**
 * Requests the deletion of a cluster, which may not have workloads any more, nor data of what was deleted while an agent could delete
 * them; its actor does the rest.
 */
export async function requestClusterDeletion(effect: Effect, cluster: ClusterRef): Promise<void> {
  const before = await lockCluster(effect, cluster);
  if (before === undefined) throw new Problem('not-found', 'There is no such cluster.');
  if (!isClusterLiving(before.state)) {
    throw new Problem('already-decided', `The cluster "${before.name}" is already being deleted.`);
  }
  const inhabitants = await whatLivesThere(effect.kysely, cluster);
  if (inhabitants.names.length > 0) {
    const named = few(
      inhabitants.names.map((name) => `"${name}"`),
      inhabitants.count,
    );
    throw new Problem(
      'cluster-in-use',
      `The cluster "${before.name}" still has ${named}: remove these workloads first and wait until they have stopped. If the machine itself is lost, revoke its agent.`,
    );
  }
  const held = await heldOnCluster(effect.kysely, cluster);
  if (held.length > 0 && (await hasAgent(effect.kysely, cluster))) {
    throw new Problem(
      'cluster-in-use',
      `The cluster "${before.name}" still has data of what was deleted: ${few(held)}. Delete it for good first, and wait until the agent has deleted the data. If the machine itself is lost, revoke its agent: the data are out of reach then.`,
    );
  }
  await effect.kysely
    .updateTable('cluster')
    .set({ deletion_requested_at: sql`now()`, state: 'deleting', message: null })
    .where('id', '=', cluster.id)
    .execute();
  await effect.kysely
    .updateTable('organization')
    .set({ default_cluster_id: null })
    .where('id', '=', cluster.organizationId)
    .where('default_cluster_id', '=', cluster.id)
    .execute();
  effect.tell({
    to: actorId('cluster', cluster.id),
    message: 'deleting',
    organizationId: cluster.organizationId,
    body: {},
  });
  wakeAgent(effect, cluster);
  // After one that loses contact at this moment, which its agent's row keeps in order.
  await effect.kysely
    .selectFrom('cluster_agent')
    .select('cluster_id')
    .where('cluster_id', '=', cluster.id)
    .forUpdate()
    .execute();
  await resolveIncidents(effect, cluster.organizationId, `cluster ${cluster.id}`);
  // Out of reach from here on: the purges that come say so, too.
  const details = held.length === 0 ? undefined : { dataLeft: few(held) };
  recordCluster(effect, 'cluster.deletion_requested', { ...cluster, name: before.name }, details);
}

const mostNamed = 5;

function few(named: readonly string[], count = named.length): string {
  const more = count - Math.min(mostNamed, named.length);
  return named.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

async function hasAgent(kysely: Kysely<Tables>, { id }: ClusterRef): Promise<boolean> {
  const agent = kysely.selectFrom('cluster_agent').select('enrolled_at').where('cluster_id', '=', id);
  return ((await agent.executeTakeFirst())?.enrolled_at ?? null) !== null;
}

/** Workloads desired on the cluster or still reported by its agent: their count, and the first few by name. */
async function whatLivesThere(kysely: Kysely<Tables>, { id }: ClusterRef): Promise<{ count: number; names: string[] }> {
  const { rows } = await sql<{ count: number; names: string[] }>`
    with there as (
      select coalesce(slice.name, observed.key) as name
      from (select * from cluster_slice where cluster_id = ${id}) slice
      full join (select * from observed_slice where cluster_id = ${id}) observed on observed.key = slice.key
      where (slice.key is not null and slice.removed_at is null) or observed.key is not null
    )
    select count(*)::int as count, coalesce((array_agg(name order by name))[1:5], '{}') as names from there
  `.execute(kysely);
  return rows[0] ?? { count: 0, names: [] };
}
