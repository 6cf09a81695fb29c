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
import { condition, defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { VolumeBackupActivities, VolumeBackupSays } from '../../activities/volume-backup.ts';
import { isVolumeBackupFinal, type VolumeBackupState } from '../../domain/volume-backups/states.ts';
import { begin, type Deed, hear, next } from '../commanded.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import { type VolumeBackupInput, volumeBackupDescriptor } from './descriptor.ts';
import { endOf, type VolumeBackupActor, volumeBackupMessages } from './state.ts';

export const view = defineQuery<VolumeBackupActor>('view');

/** A message may be lost with a database that is restored, and a cluster comes back without a word to those who wait for it. */
const claimedAgainAfter = '2 minutes';

const { claimVolumeBackup, stopVolumeBackup, finishVolumeBackup } = proxyActivities<VolumeBackupActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** The store is somebody else's: one that is away for a while delays the end, and one that stays away is the end. */
const { confirmVolumeBackup, clearVolumeBackup } = proxyActivities<VolumeBackupActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 8 },
});

export async function volumeBackup(input: VolumeBackupInput): Promise<VolumeBackupState> {
  const { backupId, organizationId } = input;
  const ref = { backupId, organizationId };
  const mailbox = new Mailbox(volumeBackupMessages, input.waiting);
  let actor: VolumeBackupActor = begin(input);
  setHandler(view, () => listen());
  return await actorFrame<VolumeBackupState, VolumeBackupInput>({
    kind: 'volume-backup',
    rowId: backupId,
    organizationId,
    input,
    mailbox,
    now: nextInput,
    live,
    fail,
  });

  async function live(frame: Frame): Promise<VolumeBackupState> {
    while (!isVolumeBackupFinal(actor.phase)) {
      const deed = next(listen());
      if (deed !== undefined) await perform(deed, frame);
      else {
        const waits = () => frame.isDue || next(listen()) !== undefined;
        // The command's end is always told; a place that has become free need not be.
        if (actor.phase === 'running') await condition(waits);
        else if (!(await condition(waits, claimedAgainAfter))) actor = { ...actor, called: true };
        await frame.attend();
      }
    }
    return actor.phase;
  }

  async function perform(deed: Deed, frame: Frame): Promise<void> {
    const revision = actor.revision + 1;
    if (deed === 'stop') {
      actor = { ...actor, stopping: true };
      await stopVolumeBackup(ref);
    } else if (deed === 'claim') {
      actor = { ...actor, called: false };
      const claimed = await claimVolumeBackup({ ...ref, revision });
      await adopt(frame, claimed);
      actor = { ...actor, ended: actor.ended ?? claimed.ended };
    } else if (deed === 'cancel') {
      const message = 'The backup was cancelled.';
      await adopt(frame, await finishVolumeBackup({ ...ref, revision, state: 'cancelled', message }));
    } else if (actor.ended !== null) {
      let end = endOf(actor.ended);
      if (end.state === 'succeeded') {
        const { fault } = await confirmVolumeBackup(ref).catch(() => ({ fault: awaySentence }));
        if (fault !== undefined) end = { state: 'failed', message: fault };
      }
      await adopt(frame, await finishVolumeBackup({ ...ref, revision, ...end }));
      // Afterwards: people need not wait for a store that is away to read that it failed.
      if (end.state !== 'succeeded') await clear();
    }
  }

  /** A store that stays away keeps what it has: nobody can delete it. */
  async function clear(): Promise<void> {
    await clearVolumeBackup(ref).catch((error: unknown) => log.warn('The store keeps parts of a backup', { error }));
  }

  async function adopt(frame: Frame, row: VolumeBackupSays): Promise<void> {
    await frame.obey(row);
    const { state, revision } = row;
    if (state !== actor.phase) showPhase(state);
    actor = { ...actor, phase: state, revision };
  }

  function listen(): VolumeBackupActor {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
    return actor;
  }

  function nextInput(): VolumeBackupInput {
    const { phase, revision, cancelling, heard } = listen();
    return { ...ref, state: phase, revision, cancelRequested: cancelling, heard: [...heard] };
  }

  async function fail(interruption: Interruption): Promise<VolumeBackupState> {
    const message = sentenceOf(interruption, volumeBackupDescriptor.interrupted);
    log.error('The backup ends as failed', { message });
    await stopVolumeBackup(ref);
    const last = { ...ref, revision: actor.revision + 1, state: 'failed' as const, message, lastWord: true };
    return (await finishVolumeBackup(last)).state;
  }
}

const awaySentence = 'The store did not answer when the object was looked for; back up again when it does.';
