import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { actorId } from '../../domain/actors/actors.ts';
import { Problem } from '../../domain/problems.ts';
import { isTransferOver, type TransferState } from '../../domain/volume-backups/states.ts';
import type { ReplacedVolume, RestoreProgress } from '../../protocol/volume.ts';
import type { ClusterRef } from '../clusters/clusters.ts';
import { beginDeletion, countAsRestored } from '../deletions/begin.ts';
import type { Effect } from '../engine/effect.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { inUnits } from '../services/removal/impact.ts';
import { lockRestore, type RestoreRow } from './claim.ts';
import { type BackedUp, ofThese, type TransfersOf } from './volume-backups.ts';

export interface VolumeRestoreView extends BackedUp {
  id: string;
  clusterId: string;
  state: TransferState;
  message: string | null;
  /** Of the backup; null: data that a restore had replaced. */
  sourceBackupId: string | null;
  keptByRestoreId: string | null;
  objectStoreId: string | null;
  objectKey: string | null;
  sha256: string | null;
  sizeBytes: number;
  /** Of the archive, once it is unpacked. */
  totalBytes: number;
  fetchedBytes: number;
  archiveBytes: number;
  replacing: boolean;
  stoppedMillis: number | null;
  requestedBy: string;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const rows = (kysely: Kysely<Tables>, organizationId: string) =>
  kysely
    .selectFrom('volume_restore')
    .leftJoin('volume_backup as source', 'source.id', 'volume_restore.source_backup_id')
    .select([
      'volume_restore.id',
      'volume_restore.organization_id as organizationId',
      'volume_restore.project_id as projectId',
      'volume_restore.environment_id as environmentId',
      'volume_restore.service_id as serviceId',
      'volume_restore.volume_id as volumeId',
      'volume_restore.environment_name as environmentName',
      'volume_restore.service_name as serviceName',
      'volume_restore.volume_name as volumeName',
      'volume_restore.cluster_id as clusterId',
      'volume_restore.state',
      'volume_restore.message',
      'volume_restore.source_backup_id as sourceBackupId',
      'volume_restore.kept_by_restore_id as keptByRestoreId',
      'source.object_store_id as objectStoreId',
      'source.object_key as objectKey',
      'source.sha256',
      'volume_restore.replacing',
      'volume_restore.stopped_millis as stoppedMillis',
      'volume_restore.requested_by_name as requestedBy',
      'volume_restore.created_at as createdAt',
      'volume_restore.started_at as startedAt',
      'volume_restore.finished_at as finishedAt',
    ])
    .select(sql<number>`coalesce(source.size_bytes, 0)::float8`.as('sizeBytes'))
    .select(sql<number>`coalesce(source.archive_bytes, 0)::float8`.as('totalBytes'))
    .select(sql<number>`volume_restore.fetched_bytes::float8`.as('fetchedBytes'))
    .select(sql<number>`volume_restore.archive_bytes::float8`.as('archiveBytes'))
    .where('volume_restore.organization_id', '=', organizationId);

export async function findVolumeRestore(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<VolumeRestoreView | undefined> {
  return await rows(kysely, organizationId).where('volume_restore.id', '=', id).executeTakeFirst();
}

/** Of a volume, of an environment, of projects or of all, newest first. */
export async function listVolumeRestores(
  kysely: Kysely<Tables>,
  organizationId: string,
  of: TransfersOf,
  page: Page,
): Promise<VolumeRestoreView[]> {
  return await rows(kysely, organizationId)
    .where(ofThese('volume_restore', of))
    .$call(pageOf('volume_restore', 'newest', page))
    .execute();
}

/** From a backup, or from the data that an earlier restore replaced: one at a time for a volume in its environment. */
export async function requestVolumeRestore(
  effect: Effect,
  of: BackedUp & { clusterId: string },
  from: { backupId: string } | { keptByRestoreId: string },
): Promise<VolumeRestoreView> {
  const { author, kysely } = effect;
  const { organizationId, projectId, environmentId, serviceId, volumeId } = of;
  const place = JSON.stringify(['volume restores', environmentId, volumeId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${place}, 0))`.execute(kysely);
  const open = await tenant(kysely, organizationId)
    .selectFrom('volume_restore')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where('volume_id', '=', volumeId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (open !== undefined)
    throw new Problem('conflict', `The volume "${of.volumeName}" is being restored already (${open.id}).`);
  const id = uuid();
  await kysely
    .insertInto('volume_restore')
    .values({
      ...{ id, organization_id: organizationId, project_id: projectId, environment_id: environmentId },
      ...{ service_id: serviceId, volume_id: volumeId, cluster_id: of.clusterId, method: 'archive' },
      ...{ environment_name: of.environmentName, service_name: of.serviceName, volume_name: of.volumeName },
      ...('backupId' in from ? { source_backup_id: from.backupId } : { kept_by_restore_id: from.keptByRestoreId }),
      ...{ requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name },
    })
    .execute();
  effect.tell({ start: 'volume-restore', id, organizationId });
  record(effect, { ...of, id }, 'requested');
  return await writtenRestore(effect, organizationId, id);
}

/** Somebody's decision: one that is queued ends at once; one that is running stops unless the data are replaced already. */
export async function cancelVolumeRestore(effect: Effect, restore: VolumeRestoreView): Promise<VolumeRestoreView> {
  const { id, organizationId } = restore;
  const row = await lockRestore(effect, id);
  if (row === undefined || isTransferOver(row.state)) {
    throw new Problem(
      'already-decided',
      `The restore ${row?.state === 'cancelled' ? 'has been cancelled' : 'has ended'} already.`,
    );
  }
  const decided = { cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, now())` };
  const ended = {
    ...{ state: 'cancelled' as const, revision: row.revision + 1, finished_at: sql<Date>`now()` },
    message: 'The restore was cancelled before its turn came.',
  };
  await effect.kysely
    .updateTable('volume_restore')
    .set(row.state === 'queued' ? { ...decided, ...ended } : decided)
    .where('id', '=', id)
    .execute();
  effect.tell({ to: actorId('volume-restore', id), message: 'cancelled', organizationId, body: {} });
  record(effect, restore, 'cancelled');
  return await writtenRestore(effect, organizationId, id);
}

/** How far the agent is, by what it says. */
export async function takeRestoreProgress(
  effect: Effect,
  { id, organizationId }: { id: string; organizationId: string },
  { phase, fetchedBytes, archiveBytes }: RestoreProgress,
): Promise<void> {
  const row = await effect.kysely
    .updateTable('volume_restore')
    .set({ fetched_bytes: fetchedBytes, archive_bytes: archiveBytes, replacing: phase === 'replacing' })
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .where('archive_bytes', '<=', archiveBytes)
    .where('replacing', 'is not', true)
    .returning('project_id as projectId')
    .executeTakeFirst();
  if (row !== undefined) effect.change({ organizationId, projectId: row.projectId, kind: 'volume_restore', id });
}

/** What the agent of the cluster has replaced: the data before are kept, and those that were kept are in use again. */
export async function noteReplaced(
  effect: Effect,
  cluster: ClusterRef,
  id: string,
  { kept, stoppedMillis }: ReplacedVolume,
): Promise<void> {
  const restore = await lockRestore(effect, id);
  if (restore?.clusterId !== cluster.id || restore.organizationId !== cluster.organizationId) return;
  await effect.kysely
    .updateTable('volume_restore')
    .set({ stopped_millis: stoppedMillis ?? null })
    .where('id', '=', id)
    .execute();
  if (restore.keptByRestoreId !== null) await takeKeptBack(effect, restore, restore.keptByRestoreId);
  if (kept) await keepReplaced(effect, restore);
}

/** For the retention of what is deleted; told twice, once. */
async function keepReplaced(effect: Effect, restore: RestoreRow): Promise<void> {
  const { id: restoreId, organizationId, environmentId, volumeId, clusterId } = restore;
  const { rows: found } = await sql<{
    name: string;
    mountPath: string;
    sizeBytes: number;
    context: string;
    environment: string;
    cluster: string;
  }>`
    select volume.name, volume.mount_path as "mountPath", volume.size_bytes::float8 as "sizeBytes",
      project.name || ' / ' || service.name as context, environment.name as environment, cluster.name as cluster
    from volume
    join service on service.organization_id = volume.organization_id and service.id = volume.service_id
    join project on project.organization_id = service.organization_id and project.id = service.project_id
    join environment on environment.organization_id = volume.organization_id and environment.id = ${environmentId}
    join cluster on cluster.organization_id = volume.organization_id and cluster.id = ${clusterId}
    where volume.organization_id = ${organizationId} and volume.id = ${volumeId}
      and not exists (select from left_volume where left_volume.organization_id = volume.organization_id
        and left_volume.restore_id = ${restoreId})
  `.execute(effect.kysely);
  const [volume] = found;
  // A volume that was purged meanwhile takes all of its data along.
  if (volume === undefined) return;
  const { name, mountPath, sizeBytes, context, environment, cluster } = volume;
  const id = uuid();
  const { projectId, serviceId, requestedBy } = restore;
  const { deletionId } = await beginDeletion(effect, {
    ...{ organizationId, projectId, kind: 'left-volume', subjectId: id, name, slug: '', context },
    detail: `${mountPath}, ${inUnits(sizeBytes)}, in ${environment} on the cluster ${cluster}, replaced by a restore`,
    requestedBy,
  });
  await tenant(effect.kysely, organizationId)
    .insertInto('left_volume')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, service_id: serviceId, volume_id: volumeId },
      ...{ cluster_id: clusterId, deletion_id: deletionId, restore_id: restoreId },
    })
    .execute();
}

/** Data that were kept are those of the volume again. */
async function takeKeptBack(
  effect: Effect,
  { organizationId, projectId }: RestoreRow,
  restoreId: string,
): Promise<void> {
  const left = await tenant(effect.kysely, organizationId)
    .deleteFrom('left_volume')
    .where('restore_id', '=', restoreId)
    .returning('deletion_id as deletionId')
    .executeTakeFirst();
  if (left !== undefined) await countAsRestored(effect, { deletionId: left.deletionId, organizationId, projectId });
}

/** Of restores that are not over: their backup is needed. */
export async function openRestoreOf(
  kysely: Kysely<Tables>,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<string | undefined> {
  const open = await tenant(kysely, organizationId)
    .selectFrom('volume_restore')
    .select('id')
    .where('source_backup_id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return open?.id;
}

function record(
  effect: Effect,
  { id, organizationId, projectId, volumeName, serviceName, environmentName }: BackedUp & { id: string },
  deed: 'requested' | 'cancelled',
): void {
  const name = `${volumeName} (${serviceName}, ${environmentName})`;
  effect.audit(`volume_restore.${deed}`, { organizationId, id, name }, {});
  effect.change({ organizationId, projectId, kind: 'volume_restore', id });
}

async function writtenRestore({ kysely }: Effect, organizationId: string, id: string): Promise<VolumeRestoreView> {
  const written = await findVolumeRestore(kysely, organizationId, id);
  if (written === undefined) throw new Error(`The restore ${id} that was just written is not there.`);
  return written;
}
