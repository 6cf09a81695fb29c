import { type Kysely, sql } from 'kysely';
import type { DriftItem } from '../../domain/releases/drift.ts';
import type { Tables } from '../postgres/tables.ts';
import { driftOf } from '../releases/drift.ts';

export interface DriftingRow {
  environmentId: string;
  environmentName: string;
  environmentSlug: string;
  serviceId: string;
  serviceName: string;
  serviceSlug: string;
  liveRelease: number;
  items: DriftItem[];
}

/** Services of an environment whose applied settings are not live while nothing is under way. */
export async function driftingServices(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId?: string | undefined },
  limit: number,
): Promise<DriftingRow[]> {
  const { rows } = await sql<Omit<DriftingRow, 'items'>>`
    select environment.id as "environmentId", environment.name as "environmentName", environment.slug as "environmentSlug",
      service.id as "serviceId", service.name as "serviceName", service.slug as "serviceSlug", live.number as "liveRelease"
    from environment_service place
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
      and service.deletion_id is null
    join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
      and (place.applied_digest is distinct from live.content_digest or place.outgrown)
      and not exists (select from deployment where deployment.organization_id = ${organizationId}
        and deployment.environment_id = place.environment_id and deployment.service_id = place.service_id
        and deployment.finished_at is null)
    order by lower(service.name), service.id limit ${limit}
  `.execute(kysely);
  const ids = rows.map((row) => row.serviceId);
  const drifts = await driftOf(kysely, { organizationId, environmentId }, ids);
  return rows.flatMap((row) => {
    const items = drifts.get(row.serviceId) ?? [];
    return items.length === 0 ? [] : [{ ...row, items }];
  });
}
