import type { Kysely } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { ProcessSettings, ServiceSettings } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ServiceRef } from './services.ts';
import { removeVolumesOf } from './volumes.ts';

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

export async function createProcess(
  effect: Effect,
  service: Pick<ServiceRef, 'id' | 'organizationId'>,
  { name, definition }: { name: string; definition: ProcessSettings },
): Promise<ProcessView> {
  const id = uuid();
  const row = await tenant(effect.kysely, service.organizationId)
    .insertInto('service_process')
    .values({ id, service_id: service.id, name, definition })
    .onConflict((conflict) => conflict.columns(['service_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) {
    throw new Problem('conflict', `The service has a process "${name}" already: choose another name.`, {
      errors: [{ location: 'body.name', message: 'another process has this name; choose another one', value: name }],
    });
  }
  const process = await findProcess(effect.kysely, service.organizationId, id);
  if (process === undefined) throw new Error(`The process ${id} that was just written is not there.`);
  return process;
}

export async function changeProcess(
  effect: Effect,
  { id, organizationId }: Pick<ProcessView, 'id' | 'organizationId'>,
  definition: ProcessSettings,
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('service_process')
    .set({ definition })
    .where('id', '=', id)
    .execute();
}

export async function deleteProcess(
  effect: Effect,
  { id, organizationId }: Pick<ProcessView, 'id' | 'organizationId'>,
): Promise<void> {
  await tenant(effect.kysely, organizationId).deleteFrom('service_process').where('id', '=', id).execute();
  await removeVolumesOf(effect, organizationId, [id]);
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

/**
 * Settings of before name processes whose definitions may have been deleted since: they are defined again. A process of the
 * same name that was created since takes the place of the old one.
 */
export async function reviveProcesses(
  effect: Effect,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
  settings: ServiceSettings,
): Promise<ServiceSettings> {
  const own = tenant(effect.kysely, organizationId);
  const processes: ServiceSettings['processes'] = {};
  for (const [id, process] of Object.entries(settings.processes)) {
    const { name, ...definition } = process;
    await own
      .insertInto('service_process')
      .values({ id, service_id: serviceId, name, definition })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const row = await own
      .selectFrom('service_process')
      .select('id')
      .where('service_id', '=', serviceId)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    processes[row.id] = process;
  }
  return { ...settings, processes };
}
