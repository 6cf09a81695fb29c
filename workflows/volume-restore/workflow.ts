/**
 * A restore: a backup, or data that an earlier restore replaced, in the place of a volume.
 *
 * Identity: `volume-restore/<id of its row>`; the command that the agent gets has the same id, and the data that are replaced are kept
 * under it.
 *
 * States: queued until its turn on the cluster comes, and until no deployment of the service is under way; running from its claim, with
 * which the agent is asked. The agent fetches and checks beside the volume, then replaces it in one step that is finished after any
 * crash: the volume has the old data or the new ones.
 *
 * Ends as: succeeded, with the old data in Deleted; failed or cancelled, with the volume as it was.
 *
 * Cancelling: a person may until the data are replaced. Cancelling the workflow is an operator's act: the row fails with a message, and
 * the agent is asked to stop.
 */
import { proxyActivities } from '@temporalio/workflow';
import type { VolumeRestoreActivities } from '../../activities/volume-restore.ts';
import type { TransferState } from '../../domain/volume-backups/states.ts';
import { transferActor } from '../transfer.ts';
import { type VolumeRestoreInput, volumeRestoreDescriptor } from './descriptor.ts';

const { claimVolumeRestore, stopVolumeRestore, finishVolumeRestore } = proxyActivities<VolumeRestoreActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function volumeRestore(input: VolumeRestoreInput): Promise<TransferState> {
  const { restoreId, organizationId } = input;
  const ref = { restoreId, organizationId };
  return await transferActor({
    ...{ kind: 'volume-restore', rowId: restoreId, input, interrupted: volumeRestoreDescriptor.interrupted },
    claim: (revision) => claimVolumeRestore({ ...ref, revision }),
    stop: () => stopVolumeRestore(ref),
    finish: (end) => finishVolumeRestore({ ...ref, ...end }),
  });
}
