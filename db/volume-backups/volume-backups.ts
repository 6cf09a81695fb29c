import { type Kysely, type RawBuilder, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { actorId } from '../../domain/actors/actors.ts';
import { backupFailed } from '../../domain/notifications/messages.ts';
import { Problem } from '../../domain/problems.ts';
import { backupKey, isTransferOver, type TransferState } from '../../domain/volume-backups/states.ts';
import type { BackupProgress } from '../../protocol/volume.ts';
import type { Effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { lockBackup, type TransferTable } from './claim.ts';

/** A volume in an environment, as it is called there. */
export interface BackedUp {
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  volumeId: string;
  environmentName: string;
  serviceName: string;
  volumeName: string;
}

export interface VolumeBackupView extends BackedUp {
  id: string;
  objectStoreId: string;
  objectKey: string;
  method: string;
  quiesce: boolean;
  stoppedMillis: number | null;
  state: TransferState;
  message: string | null;
  archiveBytes: number;
  storedBytes: number;
  volumeBytes: number;
  sha256: string;
  sizeBytes: number;
  warnings: readonly unknown[];
  requestedBy: string;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const columns = [
  'id',
  'organization_id as organizationId',
  'project_id as projectId',
  'environment_id as environmentId',
  'service_id as serviceId',
  'volume_id as volumeId',
  'environment_name as environmentName',
  'service_name as serviceName',
  'volume_name as volumeName',
  'object_store_id as objectStoreId',
  'object_key as objectKey',
  'method',
  'quiesce',
  'stopped_millis as stoppedMillis',
  'state',
  'message',
  'sha256',
  'warnings',
  'requested_by_name as requestedBy',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const;

/** Those whose objects are there, or are to be. */
const rows = (kysely: Kysely<Tables>, organizationId: string) =>
  kysely
    .selectFrom('volume_backup')
    .select(columns)
    .select([
      sql<number>`archive_bytes::float8`.as('archiveBytes'),
      sql<number>`stored_bytes::float8`.as('storedBytes'),
    ])
    .select([sql<number>`volume_bytes::float8`.as('volumeBytes'), sql<number>`size_bytes::float8`.as('sizeBytes')])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null);

export async function findVolumeBackup(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<VolumeBackupView | undefined> {
  return await rows(kysely, organizationId).where('id', '=', id).executeTakeFirst();
}

/** Backups or restores of a volume, of a service, of an environment, and of projects alone. */
export interface TransfersOf {
  volumeId?: string | undefined;
  environmentId?: string | undefined;
  serviceId?: string | undefined;
  projectIds?: readonly string[] | undefined;
}

export function ofThese(
  table: TransferTable,
  { volumeId, environmentId, serviceId, projectIds }: TransfersOf,
): RawBuilder<boolean> {
  const wanted = { volume_id: volumeId, environment_id: environmentId, service_id: serviceId };
  const conditions = Object.entries(wanted).flatMap(([column, id]) =>
    id === undefined ? [] : [sql`${sql.ref(`${table}.${column}`)} = ${id}`],
  );
  const seen = projectIds === undefined ? [] : [sql`${sql.ref(`${table}.project_id`)} = any(${projectIds}::uuid[])`];
  return sql<boolean>`${sql.join([sql`true`, ...conditions, ...seen], sql` and `)}`;
}

/** Newest first. */
export async function listVolumeBackups(
  kysely: Kysely<Tables>,
  organizationId: string,
  of: TransfersOf,
  page: Page,
): Promise<VolumeBackupView[]> {
  return await rows(kysely, organizationId)
    .where(ofThese('volume_backup', of))
    .$call(pageOf('volume_backup', 'newest', page))
    .execute();
}

/** Those that have succeeded, and what they take in their stores. */
export async function sizeOfBackups(
  kysely: Kysely<Tables>,
  organizationId: string,
  of: TransfersOf,
): Promise<{ count: number; sizeBytes: number }> {
  return await kysely
    .selectFrom('volume_backup')
    .select([sql<number>`count(*)::int`.as('count'), sql<number>`coalesce(sum(size_bytes), 0)::float8`.as('sizeBytes')])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where('state', '=', 'succeeded')
    .where(ofThese('volume_backup', of))
    .executeTakeFirstOrThrow();
}

/** The newest that has succeeded. */
export async function newestVolumeBackup(
  kysely: Kysely<Tables>,
  organizationId: string,
  of: TransfersOf,
): Promise<VolumeBackupView | undefined> {
  return await rows(kysely, organizationId)
    .where(ofThese('volume_backup', of))
    .where('state', '=', 'succeeded')
    .$call(pageOf('volume_backup', 'newest', { limit: 1 }))
    .executeTakeFirst();
}

export async function requestVolumeBackup(
  effect: Effect,
  of: BackedUp & { clusterId: string; objectStoreId: string; method: 'archive'; quiesce: boolean },
): Promise<VolumeBackupView> {
  const id = uuid();
  const { author, kysely } = effect;
  const { organizationId, projectId } = of;
  await kysely
    .insertInto('volume_backup')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      environment_id: of.environmentId,
      service_id: of.serviceId,
      volume_id: of.volumeId,
      environment_name: of.environmentName,
      service_name: of.serviceName,
      volume_name: of.volumeName,
      cluster_id: of.clusterId,
      object_store_id: of.objectStoreId,
      object_key: backupKey({ organizationId, volumeId: of.volumeId, id }),
      method: of.method,
      quiesce: of.quiesce,
      requested_by_kind: author.kind,
      requested_by_id: author.id,
      requested_by_name: author.name,
    })
    .execute();
  effect.tell({ start: 'volume-backup', id, organizationId });
  record(effect, { ...of, id }, 'requested');
  return await writtenBackup(effect, organizationId, id);
}

/** Somebody's decision: one that is queued ends at once; of one that is running the agent stops. */
export async function cancelVolumeBackup(effect: Effect, backup: VolumeBackupView): Promise<VolumeBackupView> {
  const { id, organizationId } = backup;
  const row = await lockBackup(effect, id);
  if (row === undefined || isTransferOver(row.state)) {
    throw new Problem(
      'already-decided',
      `The backup has ${row?.state === 'cancelled' ? 'been cancelled' : 'ended'} already.`,
    );
  }
  const decided = { cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, now())` };
  const ended = {
    ...{ state: 'cancelled' as const, revision: row.revision + 1, finished_at: sql<Date>`now()` },
    message: 'The backup was cancelled before its turn came.',
  };
  await effect.kysely
    .updateTable('volume_backup')
    .set(row.state === 'queued' ? { ...decided, ...ended } : decided)
    .where('id', '=', id)
    .execute();
  effect.tell({ to: actorId('volume-backup', id), message: 'cancelled', organizationId, body: {} });
  record(effect, backup, 'cancelled');
  return await writtenBackup(effect, organizationId, id);
}

/** Who requested one hears that it failed, and so do chats. */
export async function notifyBackupFailed(effect: Effect, organizationId: string, id: string): Promise<void> {
  const failed = await findVolumeBackup(effect.kysely, organizationId, id);
  const requester = await effect.kysely
    .selectFrom('volume_backup')
    .select(['requested_by_kind as kind', 'requested_by_id as id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (failed === undefined || requester === undefined) return;
  await notify(effect, {
    ...{ organizationId, occasion: `volume backup ${id} failed`, to: { requester }, channels: { chat: true } },
    message: backupFailed({ ...failed, reason: failed.message ?? 'Nobody said why.' }),
  });
}

/** Its object is gone. */
export async function noteBackupDeleted(effect: Effect, backup: VolumeBackupView): Promise<void> {
  await effect.kysely
    .updateTable('volume_backup')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', backup.id)
    .where('organization_id', '=', backup.organizationId)
    .execute();
  record(effect, backup, 'deleted');
}

/** How far the agent is, by what it says. */
export async function takeBackupProgress(
  effect: Effect,
  { id, organizationId }: { id: string; organizationId: string },
  { archiveBytes, storedBytes, volumeBytes }: BackupProgress,
): Promise<void> {
  const row = await effect.kysely
    .updateTable('volume_backup')
    .set({ archive_bytes: archiveBytes, stored_bytes: storedBytes, volume_bytes: volumeBytes })
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .where('archive_bytes', '<=', archiveBytes)
    .returning('project_id as projectId')
    .executeTakeFirst();
  if (row !== undefined) effect.change({ organizationId, projectId: row.projectId, kind: 'volume_backup', id });
}

export function record(
  effect: Effect,
  { id, organizationId, projectId, volumeName, serviceName, environmentName }: BackedUp & { id: string },
  deed: 'requested' | 'cancelled' | 'deleted' | 'downloaded',
): void {
  const name = `${volumeName} (${serviceName}, ${environmentName})`;
  effect.audit(`volume_backup.${deed}`, { organizationId, id, name }, {});
  effect.change({ organizationId, projectId, kind: 'volume_backup', id });
}

async function writtenBackup({ kysely }: Effect, organizationId: string, id: string): Promise<VolumeBackupView> {
  const written = await findVolumeBackup(kysely, organizationId, id);
  if (written === undefined) throw new Error(`The backup ${id} that was just written is not there.`);
  return written;
}
