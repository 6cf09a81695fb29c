import { type Kysely, sql } from 'kysely';
import { placeOfKey } from '../../domain/deployments/workload-of.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';

export interface EnvironmentInstance {
  clusterId: string;
  serviceId: string;
  serviceName: string;
  /** `observedInstance` of protocol/observed.ts. */
  instance: JsonObject & { id: string; process: string; release: string; state: string };
}

/** The instances of an environment that its cluster's agent sees, the newest first. */
export async function environmentInstances(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: { organizationId: string; environmentId: string },
  serviceId?: string,
): Promise<EnvironmentInstance[]> {
  const { rows } = await sql<EnvironmentInstance>`
    select environment.cluster_id as "clusterId", service.id as "serviceId", service.name as "serviceName", one.instance
    from environment_service place
    join environment on environment.organization_id = place.organization_id and environment.id = place.environment_id
    join service on service.organization_id = place.organization_id and service.id = place.service_id
      and service.deletion_id is null
    join observed_slice observed on observed.cluster_id = environment.cluster_id
      and observed.key = concat('env/', place.environment_id, '/', place.service_id)
    cross join lateral jsonb_array_elements(observed.instances) as one(instance)
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
    order by one.instance->>'startedAt' desc nulls first, one.instance->>'id'
  `.execute(kysely);
  return rows;
}

export interface InstanceView {
  /** The slice that it belongs to, and how people call that; null of one that only the agent knows. */
  key: string;
  name: string | null;
  /** `observedInstance` of protocol/observed.ts. */
  instance: JsonObject;
}

interface InstancePosition {
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

/**
 * The numbers of the releases that instances of services run, in the order of these; undefined for other workloads. Instances
 * that outlive their release, as where only replicas differ, run the live one.
 */
export async function releaseNumbers(
  kysely: Kysely<Tables>,
  { organizationId }: Pick<ClusterRef, 'organizationId'>,
  of: readonly Pick<InstanceView, 'key' | 'instance'>[],
): Promise<(number | undefined)[]> {
  const nameOf = ({ key, instance }: (typeof of)[number]) => `${key}/${instance.release}`;
  const asked = [...new Map(of.map((one) => [nameOf(one), one])).values()].flatMap((one) => {
    const place = placeOfKey(one.key);
    return place === undefined ? [] : [{ ...place, name: nameOf(one), runsAs: String(one.instance.release) }];
  });
  if (asked.length === 0) return of.map(() => undefined);
  const all = (field: keyof (typeof asked)[number]) => asked.map((one) => one[field]);
  const { rows } = await sql<{ name: string; number: number }>`
    select asked.name, release.number
    from unnest(${all('name')}::text[], ${all('environmentId')}::uuid[], ${all('serviceId')}::uuid[], ${all('runsAs')}::text[])
      as asked (name, environment_id, service_id, runs_as)
    cross join lateral (
      select deployment.release_id from deployment
      left join environment_service place on place.organization_id = deployment.organization_id
        and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
        and place.live_deployment_id = deployment.id
      where deployment.organization_id = ${organizationId} and deployment.environment_id = asked.environment_id
        and deployment.service_id = asked.service_id and deployment.runs_as = asked.runs_as
      order by place.service_id is not null desc, deployment.admission_order desc limit 1
    ) as ran
    join release on release.organization_id = ${organizationId} and release.id = ran.release_id
  `.execute(kysely);
  const numbers = new Map(rows.map(({ name, number }) => [name, number]));
  return of.map((one) => numbers.get(nameOf(one)));
}

function instances({ id, organizationId }: ClusterRef, which: ReturnType<typeof sql>) {
  return sql<InstanceView>`
    select observed.key, slice.name, one.instance
    from observed_slice observed
    cross join lateral jsonb_array_elements(observed.instances) as one(instance)
    left join cluster_slice slice on slice.cluster_id = observed.cluster_id and slice.key = observed.key
    where observed.cluster_id = ${id} and observed.organization_id = ${organizationId} and ${which}`;
}
