import { storeTargetOf } from '../../db/object-stores/object-stores.ts';
import { findVolumeBackup, type VolumeBackupView } from '../../db/volume-backups/volume-backups.ts';
import { isTransferOver } from '../../domain/volume-backups/states.ts';
import { openGivenBucket } from '../../outbound/s3/given-bucket.ts';
import { S3Failed } from '../../outbound/s3/s3-failures.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** Deletes what a store has of a backup. */
export async function deleteStored(
  { database, keyring, outbound }: Pick<ServerParts, 'database' | 'keyring' | 'outbound'>,
  { organizationId, objectStoreId: id, objectKey }: VolumeBackupView,
): Promise<void> {
  const store = await storeTargetOf(database.kysely, keyring, { organizationId, id }, outbound);
  const bucket = openGivenBucket(store, store);
  try {
    for (const key of [objectKey, `${objectKey}.json`]) await bucket.delete(key);
  } finally {
    await bucket.close();
  }
}

/** Of a backup that was given up before its agent told that it had stored it: nobody would ever look for that object. */
export async function deleteUnclaimed(server: ServerParts, organizationId: string, id: string): Promise<void> {
  const backup = await findVolumeBackup(server.database.kysely, organizationId, id);
  if (backup === undefined || !isTransferOver(backup.state) || backup.state === 'succeeded') return;
  await deleteStored(server, backup).catch((error: unknown) => {
    if (!(error instanceof S3Failed)) throw error;
    server.log.warn(`The object of the backup ${id}, which was given up, stays in its store: ${error.message}`);
  });
}
