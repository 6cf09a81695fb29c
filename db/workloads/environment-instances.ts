import { type Kysely, sql } from 'kysely';
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
