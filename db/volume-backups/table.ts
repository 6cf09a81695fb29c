import { defineEntity, p } from '@mikro-orm/core';
import { backupMethods, volumeBackupStates } from '../../domain/volume-backups/states.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import type { JsonValue } from '../postgres/json.ts';

/**
 * The files of a volume in an object store: the row of the actor `volume-backup/<id>`. It outlives service, environment and volume,
 * so it names them, and refers to none.
 */
const VolumeBackupSchema = defineEntity({
  name: 'volume_backup',
  properties: {
    ...actorRow,
    projectId: p.uuid(),
    environmentId: p.uuid(),
    serviceId: p.uuid(),
    volumeId: p.uuid(),
    environmentName: p.text(),
    serviceName: p.text(),
    volumeName: p.text(),
    /** Where the volume was when the backup was requested. */
    clusterId: p.uuid(),
    objectStoreId: p.uuid(),
    objectKey: p.text(),
    method: p.enum(backupMethods),
    state: p.enum(volumeBackupStates).default('queued'),
    cancelRequestedAt: p.datetime(3).nullable(),
    startedAt: p.datetime(3).nullable(),
    /** How far it is, and the size of the volume as the agent counted it. */
    archiveBytes: p.bigint('number').default(0),
    storedBytes: p.bigint('number').default(0),
    volumeBytes: p.bigint('number').default(0),
    /** Of the object, once it is there. */
    sha256: p.text().default(''),
    sizeBytes: p.bigint('number').default(0),
    warnings: p.json<JsonValue[]>().default('[]'),
    ...requestedBy,
    /** The object is gone. */
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [
    { name: 'volume_backup_page_index', properties: ['organizationId', 'volumeId', 'createdAt', 'id'] },
    { name: 'volume_backup_all_index', properties: ['organizationId', 'createdAt', 'id'] },
    { name: 'volume_backup_open_index', properties: ['clusterId', 'createdAt'], where: 'finished_at is null' },
    { properties: ['objectStoreId'] },
    withoutArchive('volume_backup'),
  ],
});

export const volumeBackups = [VolumeBackupSchema] as const;
