import type { Kysely } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import { findOrganizationBySlug } from '../organizations/organizations.ts';
import type { Tables } from '../postgres/tables.ts';
import { type ClusterRef, createCluster, findLocalCluster } from './clusters.ts';

/** The release that the agent of this machine reported with its last hello. */
export async function localAgentImage(kysely: Kysely<Tables>): Promise<string | undefined> {
  const row = await kysely
    .selectFrom('cluster_agent')
    .innerJoin('cluster', 'cluster.id', 'cluster_agent.cluster_id')
    .select('cluster_agent.image')
    .where('cluster.local', '=', true)
    .where('cluster_agent.image', 'is not', null)
    .executeTakeFirst();
  return row?.image ?? undefined;
}

/**
 * The cluster on the machine of the installation itself. It belongs to the organization `default`, which deploys there unless it
 * chooses another; undefined when that organization is deleted.
 */
export async function ensureLocalCluster(effect: Effect): Promise<ClusterRef | undefined> {
  const existing = await findLocalCluster(effect.kysely);
  if (existing !== undefined) return existing;
  const organization = await findOrganizationBySlug(effect.kysely, 'default');
  if (organization === undefined) return undefined;
  const cluster = await createCluster(effect, { organizationId: organization.id, name: 'local', local: true });
  await effect.kysely
    .updateTable('organization')
    .set({ default_cluster_id: cluster.id })
    .where('id', '=', organization.id)
    .where('default_cluster_id', 'is', null)
    .execute();
  return cluster;
}
