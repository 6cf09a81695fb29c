import { z } from 'zod';
import { findVolumeBackup, newestVolumeBackup } from '../../db/volume-backups/volume-backups.ts';
import {
  cancelVolumeRestore,
  findVolumeRestore,
  listVolumeRestores,
  requestVolumeRestore,
  type VolumeRestoreView,
} from '../../db/volume-backups/volume-restores.ts';
import { Problem } from '../../domain/problems.ts';
import { backupMethods, restoreStatusOf, volumeRestoreStatuses } from '../../domain/volume-backups/states.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';
import { theEnvironment } from '../environments/environment.ts';
import { placeOfData } from '../volume-backups/operations.ts';
import { theVolume } from '../volumes/volume.ts';

const theVolumeRestore = resource('volume restore', findVolumeRestore, ({ projectId }) => projectId);

export const volumeRestoreSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    environmentId: z.guid(),
    volumeId: z.guid(),
    environmentName: z.string().describe('As it was called when the restore was requested; so are the others.'),
    volumeName: z.string(),
    targetServiceId: z.guid().describe('Whose volume gets the data.'),
    targetServiceName: z.string(),
    sourceBackupId: z.guid().optional().describe('Absent: data that an earlier restore had replaced.'),
    objectStoreId: z.guid().optional(),
    objectKey: z.string().describe('Of the backup; empty without one.'),
    sha256: z.string().describe('Of the object of the backup; the agent compares it.'),
    sizeBytes: z.int().describe('Of the object of the backup.'),
    method: z.enum(backupMethods),
    status: z.enum(volumeRestoreStatuses).describe('`replacing`: the processes of the volume stand still.'),
    message: z.string().describe('What a queued one waits for, and why a failed one failed; else empty.'),
    progress: z.object({
      fetchedBytes: z.int().describe('Of `sizeBytes`.'),
      unpackedBytes: z.int(),
      totalBytes: z.int().describe('To be unpacked.'),
    }),
    stoppedSeconds: z
      .number()
      .optional()
      .describe('So long the processes of the volume stood still, once they serve again.'),
    requestedBy: z.string().describe('The name of the person or token.'),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'VolumeRestore' });

function answer(restore: VolumeRestoreView) {
  const { state, replacing, serviceId, serviceName, stoppedMillis, fetchedBytes, archiveBytes, totalBytes } = restore;
  return {
    ...restore,
    ...{ status: restoreStatusOf(state, replacing), targetServiceId: serviceId, targetServiceName: serviceName },
    ...{ message: restore.message ?? '', objectKey: restore.objectKey ?? '', sha256: restore.sha256 ?? '' },
    ...{ progress: { fetchedBytes, unpackedBytes: archiveBytes, totalBytes }, method: 'archive' as const },
    stoppedSeconds: stoppedMillis === null ? undefined : stoppedMillis / 1_000,
  };
}

const cancelRestore = operation({
  method: 'POST',
  url: '/api/v1/volume-restores/{id}/cancel',
  summary: 'Cancel a restore of a volume',
  description:
    'One that is queued ends at once; one that is running stops, and the volume has the data that it had. Once they are replaced it is too late: restore them from Deleted.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['already-decided'],
  of: theVolumeRestore,
  result: volumeRestoreSchema,
  handle: async ({ found, effect }) => answer(await cancelVolumeRestore(effect, found)),
});

const getRestore = operation({
  method: 'GET',
  url: '/api/v1/volume-restores/{id}',
  summary: 'Get a restore of a volume',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theVolumeRestore,
  result: volumeRestoreSchema,
  handle: async ({ found }) => answer(found),
});

const listAllRestores = operation({
  method: 'GET',
  url: '/api/v1/volume-restores',
  summary: 'List the restores of volumes, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  paged: { after: createdPosition },
  query: z.strictObject({
    environmentId: z.guid().toLowerCase().optional(),
    serviceId: z.guid().toLowerCase().optional(),
  }),
  result: volumeRestoreSchema,
  async handle({ caller, page, query: { environmentId, serviceId }, database }) {
    const of = { environmentId, serviceId, projectIds: caller.projectIds };
    return pageOf(await listVolumeRestores(database.kysely, caller.organization.id, of, oneMore(page)), page, answer);
  },
});

const listRestores = operation({
  method: 'GET',
  url: '/api/v1/volumes/{id}/restores',
  summary: 'List the restores of a volume in an environment, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theVolume,
  paged: { after: createdPosition },
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: volumeRestoreSchema,
  async handle({ found: volume, caller, page, query: { environmentId }, database }) {
    const of = { volumeId: volume.id, environmentId: (await caller.see(theEnvironment, environmentId)).id };
    return pageOf(await listVolumeRestores(database.kysely, volume.organizationId, of, oneMore(page)), page, answer);
  },
});

const restoreVolume = operation({
  method: 'POST',
  url: '/api/v1/volumes/{id}/restore',
  summary: 'Restore a volume from a backup',
  description:
    'The files are fetched and checked beside the volume while its processes go on. Then these end, the data are replaced in one step, and they start again: a matter of seconds. The data before are kept in Deleted, from where they can be restored. A backup of production is restored into its own environment alone.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theVolume,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    backupId: z.guid().toLowerCase().optional().describe('The newest of the volume in this environment if left out.'),
  }),
  status: 201,
  result: volumeRestoreSchema,
  async handle({ found: volume, caller, body, effect }) {
    const { environmentId, backupId } = body;
    const of = await placeOfData(effect, caller, volume, environmentId);
    const { organizationId } = volume;
    const backup =
      backupId === undefined
        ? await newestVolumeBackup(effect.kysely, organizationId, { volumeId: volume.id, environmentId })
        : await findVolumeBackup(effect.kysely, organizationId, backupId);
    if (backup === undefined && backupId === undefined)
      throw new Problem('conflict', `The volume "${of.volumeName}" has no backup here yet.`);
    // The environment of a backup may have been deleted; its volume is one that the caller sees.
    if (backup?.volumeId !== volume.id) throw invalidField('body.backupId', 'is no backup of this volume', backupId);
    if (backup.state !== 'succeeded')
      throw new Problem('conflict', 'Only a backup that has succeeded can be restored.');
    if (backup.environmentId !== environmentId && (await isOfProduction(backup.environmentId))) {
      throw new Problem(
        'conflict',
        `The backup is of production ("${backup.environmentName}"): its data are not restored into another environment.`,
      );
    }
    return answer(await requestVolumeRestore(effect, of, { backupId: backup.id }));

    /** One that was deleted may have been production's. */
    async function isOfProduction(id: string): Promise<boolean> {
      const environment = await caller.see(theEnvironment, id, effect.kysely).catch((error: unknown) => {
        if (error instanceof Problem) return { production: true };
        throw error;
      });
      return environment.production;
    }
  },
});

export const volumeRestores = {
  list: listRestores,
  listAll: listAllRestores,
  create: restoreVolume,
  get: getRestore,
  cancel: cancelRestore,
};
