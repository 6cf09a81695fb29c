import type { Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { ProcessSettings, VolumeSettings } from '../../../domain/services/settings.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { createVolume } from '../../services/volumes.ts';

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

/** Of these volumes those of the project's services, with their place. */
export async function volumesAmong(
  kysely: Kysely<Tables>,
  { organizationId, projectId }: ProjectRef,
  ids: readonly string[],
): Promise<Map<string, { serviceId: string; processId: string; name: string }>> {
  if (ids.length === 0) return new Map();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('volume')
    .innerJoin('service', 'service.id', 'volume.service_id')
    .select(['volume.id', 'volume.service_id', 'volume.process_id', 'volume.name'])
    .where('service.project_id', '=', projectId)
    .where('service.deletion_id', 'is', null)
    .where('volume.id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ id, service_id: serviceId, process_id: processId, name }) => [id, { serviceId, processId, name }]),
  );
}

/** The volume of that name in the project's definition of the process, or a new one; none if another process has the name. */
export async function volumeNamed(
  effect: Effect,
  { organizationId, serviceId, processId }: { organizationId: string; serviceId: string; processId: string },
  volume: VolumeSettings,
): Promise<string | undefined> {
  const own = tenant(effect.kysely, organizationId);
  await own.selectFrom('service').select('id').where('id', '=', serviceId).forNoKeyUpdate().execute();
  const row = await own
    .selectFrom('volume')
    .select(['id', 'process_id as of'])
    .where('service_id', '=', serviceId)
    .where('name', '=', volume.name)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (row !== undefined) return row.of === processId ? row.id : undefined;
  return (await createVolume(effect, { id: processId, serviceId, organizationId }, volume)).id;
}
