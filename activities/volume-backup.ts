import { commandView } from '../db/commands/cluster-commands.ts';
import { storeTargetOf } from '../db/object-stores/object-stores.ts';
import { askForBackup, type BackupRow, lockBackup, unfitToStandStill } from '../db/volume-backups/claim.ts';
import { notifyBackupFailed } from '../db/volume-backups/volume-backups.ts';
import { openGivenBucket } from '../outbound/s3/given-bucket.ts';
import type { S3Client } from '../outbound/s3/s3-client.ts';
import { storedArchive } from '../protocol/volume.ts';
import { type TransferEnding, transfers } from './attempts/transfer.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  backupId: string;
}

/** Activities of a volume's backup. Each may run twice. */
export function createActivities({ database, keyring, outbound }: ActivityParts) {
  const { claim, stop, finish } = transfers(database, 'volume_backup', lockBackup);
  return {
    claimVolumeBackup: ({ backupId: id, revision }: Ref & { revision: number }) =>
      claim(
        { id, revision },
        {
          // New instances are judged by how they do, and must not be stopped meanwhile.
          refused: async (claiming, backup) => (backup.quiesce ? await unfitToStandStill(claiming, backup) : undefined),
          async ask(claiming, backup) {
            const store = await storeTargetOf(claiming.kysely, keyring, storeOf(backup), outbound);
            await askForBackup(claiming, keyring, backup, store);
          },
        },
      ),

    stopVolumeBackup: ({ backupId }: Ref) => stop(backupId),

    /** Whether the store has what the agent told, which is written down beside it: a restore checks all of that. */
    async confirmVolumeBackup({ backupId }: Ref): Promise<{ fault?: string }> {
      const backup = await lockBackup(database, backupId);
      const stored = await storedOf(backupId);
      if (backup === undefined || stored === undefined)
        return { fault: 'The agent did not say what it has stored; back up again.' };
      const { id, organizationId, environmentId, serviceId, volumeId, objectKey } = backup;
      const { sha256, sizeBytes, archiveBytes } = stored;
      return await withBucket(backup, async (bucket) => {
        const size = await bucket.size(objectKey);
        if (size === undefined)
          return { fault: 'The store does not have the object that the agent stored; back up again.' };
        if (size !== sizeBytes) {
          return { fault: `The store has ${size} bytes of an object of ${sizeBytes}; back up again.` };
        }
        const about = {
          ...{
            backup: id,
            organization: organizationId,
            environment: environmentId,
            service: serviceId,
            volume: volumeId,
          },
          ...{ format: 'tar+zstd', sha256, sizeBytes, archiveBytes },
        };
        await bucket.put(`${objectKey}.json`, { pieces: [Buffer.from(JSON.stringify(about))] });
        return {};
      });
    },

    /** Deletes what an agent that was killed may have left: the object, and parts of its upload. */
    async clearVolumeBackup({ backupId }: Ref): Promise<void> {
      const backup = await lockBackup(database, backupId);
      // An agent that was never asked has left nothing.
      if (backup === undefined || !(await wasAsked(backup))) return;
      await withBucket(backup, async (bucket) => {
        for await (const uploads of bucket.listMultipart(backup.objectKey)) {
          for (const { key, uploadId } of uploads) await bucket.abortMultipart(key, uploadId);
        }
        await bucket.delete(backup.objectKey);
        await bucket.delete(`${backup.objectKey}.json`);
      });
    },

    finishVolumeBackup: ({ backupId: id, ...end }: Ref & Omit<TransferEnding, 'id'>) =>
      finish({ id, ...end }, async (finishing, { organizationId }) => {
        if (end.state === 'failed') await notifyBackupFailed(finishing, organizationId, id);
        const stored = end.state === 'succeeded' ? await storedOf(id) : undefined;
        if (stored === undefined) return {};
        const { sha256, sizeBytes, archiveBytes, warnings, stoppedMillis = null } = stored;
        return {
          stopped_millis: stoppedMillis,
          ...{ sha256, size_bytes: sizeBytes, stored_bytes: sizeBytes, archive_bytes: archiveBytes },
          warnings: JSON.stringify(warnings),
        };
      }),
  };

  async function wasAsked({ id, organizationId, clusterId }: BackupRow): Promise<boolean> {
    return (await commandView(database.kysely, { id: clusterId, organizationId }, id)) !== undefined;
  }

  async function storedOf(backupId: string) {
    const command = await database.kysely
      .selectFrom('cluster_command')
      .select('stored')
      .where('id', '=', backupId)
      .executeTakeFirst();
    return storedArchive.safeParse(command?.stored).data;
  }

  async function withBucket<T>(backup: BackupRow, work: (bucket: S3Client) => Promise<T>): Promise<T> {
    const store = await storeTargetOf(database.kysely, keyring, storeOf(backup), outbound);
    const bucket = openGivenBucket(store, store);
    try {
      return await work(bucket);
    } finally {
      await bucket.close();
    }
  }
}

const storeOf = ({ organizationId, objectStoreId: id }: BackupRow) => ({ organizationId, id });

export type VolumeBackupActivities = ReturnType<typeof createActivities>;
