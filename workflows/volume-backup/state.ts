import type { CommandEnded } from '../../domain/clusters/clusters.ts';
import type { VolumeBackupState } from '../../domain/volume-backups/states.ts';
import { type Commanded, commandedMessages } from '../commanded.ts';

export const volumeBackupMessages = commandedMessages;

/** The actor, and the answer to the query `view`. */
export type VolumeBackupActor = Commanded<VolumeBackupState>;

/** The end that follows from what the agent told, and the sentence of one that did not succeed. */
export function endOf({ state, message }: CommandEnded): {
  state: 'succeeded' | 'failed' | 'cancelled';
  message: string;
} {
  switch (state) {
    case 'done':
      return { state: 'succeeded', message: '' };
    case 'cancelled':
      return { state: 'cancelled', message: message ?? 'The backup was cancelled.' };
    case 'failed':
      return { state: 'failed', message: message ?? 'The agent could not back it up and did not say why.' };
    case 'expired':
      return {
        state: 'failed',
        message: 'The agent did not take the backup in time; back up again when it is in contact.',
      };
    case 'lost':
      return { state: 'failed', message: 'The agent lost contact in the backup and did not come back; back up again.' };
    default:
      return { state: 'failed', message: 'The agent was interrupted in the backup; back up again.' };
  }
}
