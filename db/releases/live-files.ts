import { type Kysely, sql } from 'kysely';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import type { Tables } from '../postgres/tables.ts';

/** The configuration files of the live releases of an environment's services, of all or of these, by service. */
export async function liveFiles(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: { organizationId: string; environmentId: string },
  serviceIds?: readonly string[],
): Promise<Map<string, FrozenConfig>> {
  const of = serviceIds === undefined ? sql`` : sql`and place.service_id = any(${serviceIds}::uuid[])`;
  const { rows } = await sql<{ serviceId: string; file: FrozenConfig }>`
    select place.service_id as "serviceId", release.content -> 'file' as file from environment_service place
    join release on release.organization_id = place.organization_id and release.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId} ${of}
      and release.content ? 'file'
  `.execute(kysely);
  return new Map(rows.map(({ serviceId, file }) => [serviceId, file]));
}
