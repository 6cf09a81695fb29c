import { type Kysely, sql } from 'kysely';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';

export interface InstanceView {
  /** The slice that it belongs to, and how people call that; null of one that only the agent knows. */
  key: string;
  name: string | null;
  /** `observedInstance` of protocol/observed.ts. */
  instance: JsonObject;
}

export interface InstancePosition {
  key: string;
  id: string;
}

/** The instances that the agent sees, by slice and id. */
export async function listInstances(
  kysely: Kysely<Tables>,
  cluster: ClusterRef,
  page: { limit: number; after?: InstancePosition | undefined },
): Promise<InstanceView[]> {
  const { limit, after } = page;
  const from = after === undefined ? sql`true` : sql`(observed.key, one.instance->>'id') > (${after.key}, ${after.id})`;
  const { rows } = await instances(
    cluster,
    sql`${from} order by observed.key, one.instance->>'id' limit ${limit}`,
  ).execute(kysely);
  return rows;
}

export async function findInstance(
  kysely: Kysely<Tables>,
  cluster: ClusterRef,
  id: string,
): Promise<InstanceView | undefined> {
  const { rows } = await instances(cluster, sql`one.instance->>'id' = ${id} limit 1`).execute(kysely);
  return rows[0];
}

function instances({ id, organizationId }: ClusterRef, which: ReturnType<typeof sql>) {
  return sql<InstanceView>`
    select observed.key, slice.name, one.instance
    from observed_slice observed
    cross join lateral jsonb_array_elements(observed.instances) as one(instance)
    left join cluster_slice slice on slice.cluster_id = observed.cluster_id and slice.key = observed.key
    where observed.cluster_id = ${id} and observed.organization_id = ${organizationId} and ${which}`;
}
