import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

export interface SuspendedRow {
  environmentId: string;
  environmentName: string;
  environmentSlug: string;
  production: boolean;
  serviceId: string;
  serviceName: string;
  serviceSlug: string;
  at: Date | null;
  by: string | null;
  liveRelease: number | null;
  resuming: boolean;
}

/** The suspended services of an environment, or the one that is named. */
export async function suspendedServices(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId?: string | undefined },
  limit: number,
): Promise<SuspendedRow[]> {
  const { rows } = await sql<SuspendedRow>`
    select environment.id as "environmentId", environment.name as "environmentName",
      environment.slug as "environmentSlug", environment.production,
      service.id as "serviceId", service.name as "serviceName", service.slug as "serviceSlug",
      place.suspended_at as at, place.suspended_by as by, live.number as "liveRelease",
      exists (select from deployment where deployment.organization_id = ${organizationId}
        and deployment.environment_id = place.environment_id and deployment.service_id = place.service_id
        and deployment.finished_at is null) as resuming
    from environment_service place
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
      and service.deletion_id is null
    left join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId} and place.suspended
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
    order by lower(service.name), service.id limit ${limit}
  `.execute(kysely);
  return rows;
}
