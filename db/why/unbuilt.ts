import { type Kysely, sql } from 'kysely';
import { builtInVain, lastBuilt } from '../builds/told/last-built.ts';
import type { Tables } from '../postgres/tables.ts';

export interface UnbuiltRow {
  environmentId: string;
  environmentName: string;
  serviceId: string;
  serviceName: string;
  buildId: string;
  buildNumber: number;
  failed: boolean;
  message: string | null;
  at: Date | null;
  attempts: number;
}

/** Services of an environment of which nothing was ever live because their build failed, while nothing is under way. */
export async function unbuiltServices(
  kysely: Kysely<Tables>,
  organizationId: string,
  { environmentId, serviceId }: { environmentId: string; serviceId?: string | undefined },
  limit: number,
): Promise<UnbuiltRow[]> {
  const { rows } = await sql<UnbuiltRow>`
    select environment.id as "environmentId", environment.name as "environmentName", service.id as "serviceId",
      service.name as "serviceName", built.id as "buildId", built.number as "buildNumber",
      built.state = 'failed' as failed, coalesce(built.release_error, built.message) as message,
      built.finished_at as at,
      (select count(*)::int from build where build.organization_id = ${organizationId}
        and build.environment_id = place.environment_id and build.service_id = place.service_id) as attempts
    from environment_service place
    join environment on environment.organization_id = ${organizationId} and environment.id = place.environment_id
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
      and service.deletion_id is null
    ${lastBuilt(organizationId)}
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}
      and place.live_release_id is null and ${builtInVain}
      and not exists (select from build where build.organization_id = ${organizationId}
        and build.environment_id = place.environment_id and build.service_id = place.service_id
        and build.finished_at is null)
    order by lower(service.name), service.id limit ${limit}
  `.execute(kysely);
  return rows;
}
