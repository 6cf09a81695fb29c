import type { Effect } from '../db/engine/effect.ts';
import { storeTargetOf } from '../db/object-stores/object-stores.ts';
import {
  askForRestore,
  lockBackup,
  lockRestore,
  type RestoreRow,
  unfitToStandStill,
} from '../db/volume-backups/claim.ts';
import { keptName } from '../domain/services/volumes.ts';
import { type RestoreVolumeBody, storedArchive } from '../protocol/volume.ts';
import { type TransferEnding, transfers } from './attempts/transfer.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  restoreId: string;
}

/** Activities of a restore. Each may run twice. */
export function createActivities({ database, keyring, outbound }: ActivityParts) {
  const { claim, stop, finish } = transfers(database, 'volume_restore', lockRestore);
  return {
    claimVolumeRestore: ({ restoreId: id, revision }: Ref & { revision: number }) =>
      claim(
        { id, revision },
        {
          refused: unfitToStandStill,
          ask: async (claiming, restore) =>
            askForRestore(claiming, keyring, restore, await sourceOf(claiming, restore)),
        },
      ),

    stopVolumeRestore: ({ restoreId }: Ref) => stop(restoreId),

    finishVolumeRestore: ({ restoreId: id, ...end }: Ref & Omit<TransferEnding, 'id'>) =>
      finish({ id, ...end }, async () => ({})),
  };

  async function sourceOf(
    { kysely }: Effect,
    { organizationId, sourceBackupId, keptByRestoreId }: RestoreRow,
  ): Promise<RestoreVolumeBody['from']> {
    if (keptByRestoreId !== null) return { kept: keptName(keptByRestoreId) };
    const backup = await lockBackup({ kysely }, sourceBackupId ?? '');
    if (backup === undefined) throw new Error(`The backup ${sourceBackupId} is not there any more.`);
    const { objectStoreId: store, objectKey } = backup;
    const { sha256, sizeBytes, archiveBytes } = storedArchive.parse(backup);
    return {
      store: await storeTargetOf(kysely, keyring, { organizationId, id: store }, outbound),
      ...{ objectKey, stored: { sha256, sizeBytes, archiveBytes } },
    };
  }
}

export type VolumeRestoreActivities = ReturnType<typeof createActivities>;
