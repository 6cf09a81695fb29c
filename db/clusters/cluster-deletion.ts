import { type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { isClusterLiving } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import { resolveIncidents } from '../notification-channels/tell-channels.ts';
import type { Tables } from '../postgres/tables.ts';
import { type ClusterRef, lockCluster, recordCluster, wakeAgent } from './clusters.ts';

/** Requests the deletion of a cluster, which may not have workloads any more; its actor does the rest. */
export async function requestClusterDeletion(effect: Effect, cluster: ClusterRef): Promise<void> {
  const before = await lockCluster(effect, cluster);
  if (before === undefined) throw new Problem('not-found', 'There is no such cluster.');
  if (!isClusterLiving(before.state)) {
    throw new Problem('already-decided', `The cluster "${before.name}" is already being deleted.`);
  }
  const inhabitants = await whatLivesThere(effect.kysely, cluster);
  if (inhabitants.names.length > 0) {
    const more = inhabitants.count - inhabitants.names.length;
    const named = inhabitants.names.map((name) => `"${name}"`).join(', ') + (more > 0 ? ` and ${more} more` : '');
    throw new Problem(
      'cluster-in-use',
      `The cluster "${before.name}" still has ${named}: remove these workloads first and wait until they have stopped. If the machine itself is lost, revoke its agent.`,
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
  recordCluster(effect, 'cluster.deletion_requested', { ...cluster, name: before.name });
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
