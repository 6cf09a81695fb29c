/**
 * The backup of a volume, from its place in the queue to an object that is known to be whole.
 *
 * Identity: `volume-backup/<id of its row>`; the command that the agent gets has the same id.
 *
 * States: queued until its turn on the cluster comes; running from its claim, with which the agent is asked to pack the volume.
 *
 * Ends as: succeeded, once the store has the object with the size that the agent told; failed with the agent's reason or the store's;
 * cancelled. Whatever ends it otherwise, what is left in the store is deleted: the object is complete or absent.
 *
 * Cancelling: a person may at any time; the row decides and says so. Of a running backup the agent stops the transfer.
 * Cancelling the workflow is an operator's act: the row fails with a message, and the agent is asked to stop.
 */
import { log, proxyActivities } from '@temporalio/workflow';
import type { VolumeBackupActivities } from '../../activities/volume-backup.ts';
import type { TransferState } from '../../domain/volume-backups/states.ts';
import { transferActor } from '../transfer.ts';
import { type VolumeBackupInput, volumeBackupDescriptor } from './descriptor.ts';

const { claimVolumeBackup, stopVolumeBackup, finishVolumeBackup } = proxyActivities<VolumeBackupActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** The store is somebody else's: one that is away for a while delays the end, and one that stays away is the end. */
const { confirmVolumeBackup, clearVolumeBackup } = proxyActivities<VolumeBackupActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 8 },
});

export async function volumeBackup(input: VolumeBackupInput): Promise<TransferState> {
  const { backupId, organizationId } = input;
  const ref = { backupId, organizationId };
  return await transferActor({
    ...{ kind: 'volume-backup', rowId: backupId, input, interrupted: volumeBackupDescriptor.interrupted },
    claim: (revision) => claimVolumeBackup({ ...ref, revision }),
    stop: () => stopVolumeBackup(ref),
    finish: (end) => finishVolumeBackup({ ...ref, ...end }),
    confirm: async () => (await confirmVolumeBackup(ref).catch(() => ({ fault: awaySentence }))).fault,
    // A store that stays away keeps what it has: nobody can delete it.
    clear: () =>
      clearVolumeBackup(ref).catch((error: unknown) => log.warn('The store keeps parts of a backup', { error })),
  });
}

const awaySentence = 'The store did not answer when the object was looked for; back up again when it does.';
