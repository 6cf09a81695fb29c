import type { Kysely } from 'kysely';
import type { ProcessSettings } from '../../domain/services/settings.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ServiceRef } from './services.ts';

export interface ProcessView {
  id: string;
  organizationId: string;
  serviceId: string;
  projectId: string;
  name: string;
  /** The settings of environments to come. */
  definition: ProcessSettings;
  createdAt: Date;
}

export async function findProcess(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ProcessView | undefined> {
  return await processes(kysely, organizationId).where('service_process.id', '=', id).executeTakeFirst();
}

/** The processes of a service, oldest first: a few. */
export async function processesOf(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<ServiceRef, 'id' | 'organizationId'>,
): Promise<ProcessView[]> {
  return await processes(kysely, organizationId)
    .where('service_process.service_id', '=', id)
    .orderBy('service_process.created_at')
    .orderBy('service_process.id')
    .execute();
}

function processes(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('service_process')
    .innerJoin('service', 'service.id', 'service_process.service_id')
    .where('service.deletion_id', 'is', null)
    .select([
      'service_process.id',
      'service_process.organization_id as organizationId',
      'service_process.service_id as serviceId',
      'service.project_id as projectId',
      'service_process.name',
      'service_process.definition',
      'service_process.created_at as createdAt',
    ]);
}
