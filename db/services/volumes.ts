import { type Kysely, type RawBuilder, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { VolumeSettings } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ServiceRef } from './services.ts';

export interface VolumeView {
  id: string;
  organizationId: string;
  serviceId: string;
  processId: string;
  projectId: string;
  /** The settings of environments to come. */
  definition: VolumeSettings;
  createdAt: Date;
  removedAt: Date | null;
}

/** Answers one that was deleted, too, as long as an environment may still have it. */
export async function findVolume(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<VolumeView | undefined> {
  const row = await volumes(kysely, organizationId).where('volume.id', '=', id).executeTakeFirst();
  return row && viewOf(row);
}

/** All volumes that a process has or had, oldest first. */
export async function volumesOfProcess(
  kysely: Kysely<Tables>,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<VolumeView[]> {
  const rows = await volumes(kysely, organizationId)
    .where('volume.process_id', '=', id)
    .orderBy('volume.created_at')
    .orderBy('volume.id')
    .execute();
  return rows.map(viewOf);
}

/** The volumes with which a service begins in an environment, by the id of their process. */
export async function definedVolumes(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<ServiceRef, 'id' | 'organizationId'>,
): Promise<Map<string, Record<string, VolumeSettings>>> {
  const rows = await volumes(kysely, organizationId)
    .where('volume.service_id', '=', id)
    .where('volume.removed_at', 'is', null)
    .orderBy('volume.id')
    .execute();
  const byProcess = Map.groupBy(rows.map(viewOf), ({ processId }) => processId);
  return new Map(
    [...byProcess].map(([process, found]) => [
      process,
      Object.fromEntries(found.map((volume) => [volume.id, volume.definition])),
    ]),
  );
}

/** Callers hold the lock of the service, and have seen that the name is free. */
export async function createVolume(
  effect: Effect,
  { id: processId, serviceId, organizationId }: { id: string; serviceId: string; organizationId: string },
  { name, mountPath, sizeBytes, storageClass }: VolumeSettings,
): Promise<VolumeView> {
  const id = uuid();
  await tenant(effect.kysely, organizationId)
    .insertInto('volume')
    .values({
      ...{ id, service_id: serviceId, process_id: processId },
      ...{ name, mount_path: mountPath, size_bytes: sizeBytes, storage_class: storageClass },
    })
    .execute();
  const volume = await findVolume(effect.kysely, organizationId, id);
  if (volume === undefined) throw new Error(`The volume ${id} that was just written is not there.`);
  return volume;
}

export async function growVolume(
  effect: Effect,
  { id, organizationId }: Pick<VolumeView, 'id' | 'organizationId'>,
  sizeBytes: number,
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('volume')
    .set({ size_bytes: sizeBytes })
    .where('id', '=', id)
    .execute();
}

/** Environments to come do not have it. */
export async function removeVolume(
  effect: Effect,
  { id, organizationId }: Pick<VolumeView, 'id' | 'organizationId'>,
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('volume')
    .set({ removed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .execute();
}

/** Its process came back, maybe as another one of the same name. */
export async function ofProcess(effect: Effect, organizationId: string, id: string, processId: string): Promise<void> {
  const volume = tenant(effect.kysely, organizationId).updateTable('volume').set({ process_id: processId });
  await volume.where('id', '=', id).execute();
}

/** Those of processes that are defined no more: no environment to come has them. What was never applied is deleted. */
export async function removeVolumesOf(
  effect: Effect,
  organizationId: string,
  processIds: readonly string[],
): Promise<void> {
  if (processIds.length === 0) return;
  const removed = await tenant(effect.kysely, organizationId)
    .updateTable('volume')
    .set({ removed_at: sql<Date>`coalesce(removed_at, now())` })
    .where('process_id', 'in', processIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('service_process')
            .whereRef('service_process.id', '=', 'volume.process_id')
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    .returning('id')
    .execute();
  await forgetVolumes(
    effect,
    organizationId,
    removed.map(({ id }) => id),
  );
}

/**
 * Deletes those that no environment has or had and no draft or held change set adds. Of all others the row stays: a cluster
 * has a directory that is named by it.
 */
export async function forgetVolumes(effect: Effect, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const named = (column: RawBuilder<unknown>) => sql<boolean>`position(volume.id::text in ${column}::text) > 0`;
  const own = tenant(effect.kysely, organizationId);
  await own
    .deleteFrom('volume')
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('environment_service')
            .whereRef('environment_service.service_id', '=', 'volume.service_id')
            .where(named(sql`environment_service.settings`))
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('release')
            .whereRef('release.service_id', '=', 'volume.service_id')
            .where(named(sql`release.content`))
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('change_set_item')
            .whereRef('change_set_item.service_id', '=', 'volume.service_id')
            .where(sql<boolean>`(change_set_item.volume_id = volume.id or ${named(sql`change_set_item.to_value`)})`)
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    .execute();
}

function volumes(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('volume')
    .innerJoin('service', 'service.id', 'volume.service_id')
    .where('service.deletion_id', 'is', null)
    .select([
      'volume.id',
      'volume.organization_id as organizationId',
      'volume.service_id as serviceId',
      'volume.process_id as processId',
      'service.project_id as projectId',
      'volume.name',
      'volume.mount_path as mountPath',
      'volume.size_bytes as sizeBytes',
      'volume.storage_class as storageClass',
      'volume.created_at as createdAt',
      'volume.removed_at as removedAt',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof volumes>['execute']>>[number];

function viewOf({ name, mountPath, sizeBytes, storageClass, ...row }: Row): VolumeView {
  // PostgreSQL answers a bigint as a text.
  return { ...row, definition: { name, mountPath, sizeBytes: Number(sizeBytes), storageClass } };
}
