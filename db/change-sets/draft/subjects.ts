import type { Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { ProcessSettings } from '../../../domain/services/settings.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';

interface ProjectRef {
  organizationId: string;
  projectId: string;
}

/** Which of these are services of the project that are not deleted. */
export async function servicesAmong(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: ProjectRef,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select('id')
    .where('project_id', '=', projectId)
    .where('deletion_id', 'is', null)
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Of these processes those of the project's services, with their service. */
export async function processesAmong(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: ProjectRef,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service_process')
    .innerJoin('service', 'service.id', 'service_process.service_id')
    .select(['service_process.id', 'service_process.service_id'])
    .where('service.project_id', '=', projectId)
    .where('service.deletion_id', 'is', null)
    .where('service_process.id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.service_id]));
}

/** The process of that name in the project's definition of the service: the one there is, or a new one. */
export async function processNamed(
  effect: Effect,
  organizationId: string,
  { serviceId, name, settings }: { serviceId: string; name: string; settings: ProcessSettings },
): Promise<string> {
  const own = tenant(effect.kysely, organizationId);
  await own
    .insertInto('service_process')
    .values({ id: uuid(), service_id: serviceId, name, definition: settings })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await own
    .selectFrom('service_process')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.id;
}
