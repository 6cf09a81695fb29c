import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { lockObjectStore, storeTargetOf } from '../../db/object-stores/object-stores.ts';
import type { VolumeView } from '../../db/services/volumes.ts';
import {
  type BackedUp,
  cancelVolumeBackup,
  findVolumeBackup,
  listVolumeBackups,
  noteBackupDeleted,
  record,
  requestVolumeBackup,
  type VolumeBackupView,
} from '../../db/volume-backups/volume-backups.ts';
import { openRestoreOf } from '../../db/volume-backups/volume-restores.ts';
import { Problem } from '../../domain/problems.ts';
import { backupMethods, isTransferOver, statusOf, volumeBackupStatuses } from '../../domain/volume-backups/states.ts';
import { S3Failed } from '../../outbound/s3/s3-failures.ts';
import { presignedAddress } from '../../outbound/s3/s3-request.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { partIn } from '../services/service-place.ts';
import { settingsOf } from '../volumes/operations.ts';
import { theVolume } from '../volumes/volume.ts';
import { deleteStored } from './stored-object.ts';

const theVolumeBackup = resource('volume backup', findVolumeBackup, ({ projectId }) => projectId);

export const volumeBackupSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    environmentId: z.guid(),
    serviceId: z.guid(),
    volumeId: z.guid(),
    environmentName: z.string().describe('As it was called when the backup was requested; so are the others.'),
    serviceName: z.string(),
    volumeName: z.string(),
    objectStoreId: z.guid(),
    objectKey: z.string().describe('Beneath the prefix of the store.'),
    method: z.enum(backupMethods).describe('`archive`: the files of the volume, as tar and zstd.'),
    quiesce: z.boolean().describe('What mounts the volume stands still meanwhile.'),
    stoppedSeconds: z.number().optional().describe('So long it stood still, until it served again.'),
    status: z.enum(volumeBackupStatuses),
    message: z.string().describe('What a queued one waits for, and why a failed one failed; else empty.'),
    progress: z.object({
      archiveBytes: z.int().describe('Read of the volume.'),
      storedBytes: z.int().describe('Compressed, on their way to the store.'),
      volumeBytes: z.int().describe('On the disk of the volume, as its agent counted them last.'),
    }),
    sizeBytes: z.int().describe('Of the object, once it is there.'),
    sha256: z.string().describe('Of the object, in hexadecimal; empty until it is there.'),
    warnings: z
      .array(z.string())
      .describe('Files that changed while they were read, and what cannot be in an archive.'),
    triggeredBy: z.enum(['manual']),
    requestedBy: z.string().describe('The name of the person or token.'),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'VolumeBackup' });

function answer(backup: VolumeBackupView) {
  const { message, state, archiveBytes, storedBytes, volumeBytes, warnings, stoppedMillis } = backup;
  return {
    ...backup,
    ...{ message: message ?? '', status: statusOf(state, storedBytes), triggeredBy: 'manual' as const },
    ...{ progress: { archiveBytes, storedBytes, volumeBytes }, warnings: warnings.map(String) },
    method: 'archive' as const,
    stoppedSeconds: stoppedMillis === null ? undefined : stoppedMillis / 1_000,
  };
}

const cancelBackup = operation({
  method: 'POST',
  url: '/api/v1/volume-backups/{id}/cancel',
  summary: 'Cancel a backup of a volume',
  description:
    'One that is queued ends at once; of one that is running the agent stops, and nothing stays in the store.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['already-decided'],
  of: theVolumeBackup,
  result: volumeBackupSchema,
  handle: async ({ found, effect }) => answer(await cancelVolumeBackup(effect, found)),
});

/** A volume in an environment, where its data are. */
export async function placeOfData(
  { kysely }: Effect,
  caller: OrganizationCaller,
  volume: VolumeView,
  environmentId: string,
): Promise<BackedUp & { clusterId: string }> {
  const service = await caller.see(theService, volume.serviceId, kysely);
  const { part } = await partIn(kysely, caller, service, environmentId, 'volume', settingsOf(volume));
  const environment = await caller.see(theEnvironment, environmentId, kysely);
  const { clusterId } = environment;
  if (clusterId === null || clusterId === undefined) {
    throw new Problem(
      'conflict',
      `The environment "${environment.name}" has no cluster, so the volume has no data yet.`,
    );
  }
  const { organizationId, projectId } = service;
  return {
    ...{ organizationId, projectId, environmentId, serviceId: service.id, volumeId: volume.id, clusterId },
    ...{ environmentName: environment.name, serviceName: service.name, volumeName: part.name },
  };
}

const createBackup = operation({
  method: 'POST',
  url: '/api/v1/volumes/{id}/backups',
  summary: 'Back up a volume',
  description:
    'Packs the files of the volume as they are in this environment into the object store, while its process goes on: a file that changes meanwhile is a warning. With `quiesce` the process stands still until it is done. Two run on a cluster at once, and of a volume one; further ones wait.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theVolume,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    objectStoreId: z.guid().toLowerCase(),
    method: z.enum(backupMethods).default('archive'),
    quiesce: z
      .boolean()
      .default(false)
      .describe('What mounts the volume ends before it is packed, and starts after it, whatever happens.'),
  }),
  status: 201,
  result: volumeBackupSchema,
  async handle({ found: volume, caller, body, effect }) {
    const { environmentId, objectStoreId, method, quiesce } = body;
    const of = await placeOfData(effect, caller, volume, environmentId);
    const { organizationId } = of;
    // Kept from being deleted meanwhile.
    const store = await lockObjectStore(effect, organizationId, objectStoreId);
    if (store === undefined) throw invalidField('body.objectStoreId', 'is no object store', objectStoreId);
    return answer(await requestVolumeBackup(effect, { ...of, objectStoreId, method, quiesce }));
  },
});

const deleteBackup = operation({
  method: 'DELETE',
  url: '/api/v1/volume-backups/{id}',
  summary: 'Delete a backup of a volume',
  description: 'Its object is deleted from the store, for good.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theVolumeBackup,
  ownEffect: true,
  async handle({ found: backup, caller, database, server, once }) {
    if (!isTransferOver(backup.state)) {
      throw new Problem('conflict', 'The backup is not over: cancel it, or wait for its end.');
    }
    const restore = await openRestoreOf(database.kysely, backup);
    if (restore !== undefined) throw new Problem('conflict', `The restore ${restore} needs it, and is not over.`);
    if (backup.state === 'succeeded') {
      await deleteStored(server, backup).catch((error: unknown) => {
        if (!(error instanceof S3Failed)) throw error;
        throw new Problem(
          'conflict',
          `The object could not be deleted from its store: ${error.message} Try again later.`,
        );
      });
    }
    await once(async (effect) =>
      noteBackupDeleted(effect, await caller.see(theVolumeBackup, backup.id, effect.kysely)),
    );
  },
});

const downloadSeconds = 900;

const downloadBackup = operation({
  method: 'POST',
  url: '/api/v1/volume-backups/{id}/download',
  summary: 'Get an address at which a backup of a volume can be downloaded',
  description:
    'For 15 minutes, without a credential: whoever has the address has the data. It is recorded in the audit log.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theVolumeBackup,
  result: z.object({ url: z.string(), expiresAt: z.iso.datetime() }).meta({ id: 'BackupDownload' }),
  secretAnswer: ({ expiresAt }) => `an address that expires at ${expiresAt}`,
  async handle({ found: backup, effect, server }) {
    if (backup.state !== 'succeeded')
      throw new Problem('conflict', 'Only a backup that has succeeded can be downloaded.');
    const ref = { organizationId: backup.organizationId, id: backup.objectStoreId };
    const store = await storeTargetOf(effect.kysely, server.keyring, ref, server.outbound);
    const expiresAt = new Date(Date.now() + downloadSeconds * 1_000);
    record(effect, backup, 'downloaded');
    return { url: await presignedAddress(store, backup.objectKey, downloadSeconds), expiresAt };
  },
});

const getBackup = operation({
  method: 'GET',
  url: '/api/v1/volume-backups/{id}',
  summary: 'Get a backup of a volume',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theVolumeBackup,
  result: volumeBackupSchema,
  handle: async ({ found }) => answer(found),
});

const listAllBackups = operation({
  method: 'GET',
  url: '/api/v1/volume-backups',
  summary: 'List the backups of volumes, newest first',
  description: 'Also those of volumes, services and environments that were deleted.',
  role: 'viewer',
  projectTokens: 'allowed',
  paged: { after: createdPosition },
  query: z.strictObject({
    environmentId: z.guid().toLowerCase().optional(),
    serviceId: z.guid().toLowerCase().optional(),
  }),
  result: volumeBackupSchema,
  async handle({ caller, page, query: { environmentId, serviceId }, database }) {
    const of = { environmentId, serviceId, projectIds: caller.projectIds };
    return pageOf(await listVolumeBackups(database.kysely, caller.organization.id, of, oneMore(page)), page, answer);
  },
});

const listBackups = operation({
  method: 'GET',
  url: '/api/v1/volumes/{id}/backups',
  summary: 'List the backups of a volume in an environment, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theVolume,
  paged: { after: createdPosition },
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: volumeBackupSchema,
  async handle({ found: volume, caller, page, query: { environmentId }, database }) {
    const of = { volumeId: volume.id, environmentId: (await caller.see(theEnvironment, environmentId)).id };
    return pageOf(await listVolumeBackups(database.kysely, volume.organizationId, of, oneMore(page)), page, answer);
  },
});

export const volumeBackups = {
  list: listBackups,
  listAll: listAllBackups,
  create: createBackup,
  get: getBackup,
  cancel: cancelBackup,
  delete: deleteBackup,
  download: downloadBackup,
};
