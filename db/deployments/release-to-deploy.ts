import type { Kysely } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ReleaseToDeploy } from './request-deployment.ts';

export async function findReleaseToDeploy(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ReleaseToDeploy | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('release')
    .select(['id', 'project_id as projectId', 'environment_id as environmentId', 'service_id as serviceId'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, organizationId };
}

/** The release that serves at a place. */
export async function liveRelease(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: Omit<ReleaseToDeploy, 'id' | 'projectId'>,
): Promise<ReleaseToDeploy | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('environment_service')
    .select(['live_release_id as id', 'project_id as projectId'])
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (row === undefined || row.id === null) return undefined;
  return { id: row.id, projectId: row.projectId, organizationId, environmentId, serviceId };
}
