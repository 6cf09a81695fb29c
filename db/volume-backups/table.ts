import { defineEntity, p } from '@mikro-orm/core';
import { backupMethods, transferStates } from '../../domain/volume-backups/states.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import type { JsonValue } from '../postgres/json.ts';

/** A backup or a restore: it outlives service, environment and volume, so it names them, and refers to none. */
const transferRow = {
  ...actorRow,
  projectId: p.uuid(),
  environmentId: p.uuid(),
  serviceId: p.uuid(),
  volumeId: p.uuid(),
  environmentName: p.text(),
  serviceName: p.text(),
  volumeName: p.text(),
  /** Where the volume was when it was requested. */
  clusterId: p.uuid(),
  method: p.enum(backupMethods),
  state: p.enum(transferStates).default('queued'),
  cancelRequestedAt: p.datetime(3).nullable(),
  startedAt: p.datetime(3).nullable(),
  ...requestedBy,
};

type Ordered = ['organizationId', 'volumeId', 'createdAt', 'id'];
const pageIndex = (table: string) => ({
  name: `${table}_page_index`,
  properties: ['organizationId', 'volumeId', 'createdAt', 'id'] as Ordered,
});
const openIndex = (table: string) => ({
  name: `${table}_open_index`,
  properties: ['clusterId', 'createdAt'] as ['clusterId', 'createdAt'],
  where: 'finished_at is null',
});

/** The files of a volume in an object store: the row of the actor `volume-backup/<id>`. */
const VolumeBackupSchema = defineEntity({
  name: 'volume_backup',
  properties: {
    ...transferRow,
    objectStoreId: p.uuid(),
    objectKey: p.text(),
    /** Whether what mounts the volume stands still meanwhile. */
    quiesce: p.boolean().default(false),
    /** How far it is, and the size of the volume as the agent counted it. */
    archiveBytes: p.bigint('number').default(0),
    storedBytes: p.bigint('number').default(0),
    volumeBytes: p.bigint('number').default(0),
    /** Of the object, once it is there. */
    sha256: p.text().default(''),
    sizeBytes: p.bigint('number').default(0),
    /** So long it stood still. */
    stoppedMillis: p.integer().nullable(),
    warnings: p.json<JsonValue[]>().default('[]'),
    /** The object is gone. */
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [
    pageIndex('volume_backup'),
    openIndex('volume_backup'),
    withoutArchive('volume_backup'),
    { name: 'volume_backup_all_index', properties: ['organizationId', 'createdAt', 'id'] },
    { properties: ['objectStoreId'] },
  ],
});

/** A backup, or data that an earlier restore replaced, in the place of a volume: the row of the actor `volume-restore/<id>`. */
const VolumeRestoreSchema = defineEntity({
  name: 'volume_restore',
  properties: {
    ...transferRow,
    /** Null: data that were kept. */
    sourceBackupId: p.uuid().nullable(),
    /** Of the restore that replaced them. */
    keptByRestoreId: p.uuid().nullable(),
    fetchedBytes: p.bigint('number').default(0),
    archiveBytes: p.bigint('number').default(0),
    /** The files are there, and processes stand still. */
    replacing: p.boolean().default(false),
    /** So long they did; null where none ran, or nobody knows. */
    stoppedMillis: p.integer().nullable(),
  },
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [
    pageIndex('volume_restore'),
    openIndex('volume_restore'),
    withoutArchive('volume_restore'),
    { name: 'volume_restore_source_index', properties: ['sourceBackupId'], where: 'finished_at is null' },
  ],
});

export const volumeBackups = [VolumeBackupSchema, VolumeRestoreSchema] as const;
