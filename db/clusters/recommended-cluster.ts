import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

export interface RecommendedCluster {
  id: string;
  name: string;
  slug: string;
  /** The organization's default cluster; otherwise the one with the fewest workloads. */
  isDefault: boolean;
  workloads: number;
  /** How many clusters can take workloads now. */
  candidates: number;
  /** The default cluster that cannot take workloads now. */
  passedOver: string | null;
}

/**
 * The cluster for new environments: the organization's default one if it accepts workloads and is in contact, else the
 * one in contact with the fewest workloads. `undefined`: there is none.
 */
export async function recommendedCluster(
  kysely: Kysely<Tables>,
  organizationId: string,
): Promise<RecommendedCluster | undefined> {
  const { rows } = await sql<RecommendedCluster>`
    with candidate as (
      select cluster.id, cluster.name, cluster.slug, cluster.created_at,
             cluster.id = organization.default_cluster_id as is_default,
             (select count(*)::int from cluster_slice slice
              where slice.cluster_id = cluster.id and slice.removed_at is null) as workloads
      from cluster
      join cluster_agent agent on agent.cluster_id = cluster.id and agent.contact = 'connected'
      join organization on organization.id = cluster.organization_id
      where cluster.organization_id = ${organizationId} and cluster.finished_at is null
        and cluster.schedulable and cluster.state <> 'deleting'
    )
    select id, name, slug, coalesce(is_default, false) as "isDefault", workloads,
           (select count(*)::int from candidate) as candidates,
           (select cluster.name from organization join cluster on cluster.id = organization.default_cluster_id
            where organization.id = ${organizationId}
              and cluster.id not in (select id from candidate)) as "passedOver"
    from candidate
    order by is_default is true desc, workloads, created_at, id
    limit 1`.execute(kysely);
  return rows[0];
}

/** Where none is in contact, the cluster whose agent is to be waited for: the default one, that of this machine, the oldest. */
export async function awaitedCluster(
  kysely: Kysely<Tables>,
  organizationId: string,
): Promise<{ id: string } | undefined> {
  return await kysely
    .selectFrom('cluster')
    .innerJoin('organization', 'organization.id', 'cluster.organization_id')
    .select('cluster.id')
    .where('cluster.organization_id', '=', organizationId)
    .where('cluster.finished_at', 'is', null)
    .where('cluster.schedulable', '=', true)
    .where('cluster.state', '<>', 'deleting')
    .orderBy(sql`cluster.id = organization.default_cluster_id is true`, 'desc')
    .orderBy('cluster.local', 'desc')
    .orderBy('cluster.created_at')
    .limit(1)
    .executeTakeFirst();
}
