import { factsOf, type Tone, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';
import type { VolumeBackupState } from '../../domain/volume-backups/states.ts';

export const volumeBackupStateWords = {
  queued: { word: 'Queued', tone: 'attention' },
  running: { word: 'Running', tone: 'live' },
  succeeded: { word: 'Succeeded', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
} as const satisfies Record<VolumeBackupState, { word: string; tone: Tone }>;

/** The backup of a volume. */
export const volumeBackupWords: ActorWords = {
  many: 'Volume backups',
  title: (name) => `Volume backup: ${name}`,
  states: volumeBackupStateWords,

  about: () => 'Packs the files of a volume into an object store.',

  activities: {
    claimVolumeBackup: {
      kind: 'did',
      todo: () => 'start when it is its turn',
      done(_, result) {
        const { state, message } = factsOf(result);
        if (state === 'running') return { title: 'Asked the agent to back up', state: 'running' };
        if (state === 'queued') return { title: 'Waited for its turn', detail: textOf(message) };
        return { title: `Found it ${phase(textOf(state))}`, state: textOf(state) };
      },
    },
    stopVolumeBackup: {
      kind: 'asked',
      todo: () => 'ask the agent to stop',
      done: () => ({ title: 'Asked the agent to stop' }),
    },
    confirmVolumeBackup: {
      kind: 'asked',
      todo: () => 'look for the object in the store',
      done(_, result) {
        const fault = textOf(factsOf(result).fault);
        if (fault === '') return { title: 'Found the object in the store' };
        return { title: 'Did not find the object in the store', detail: fault, outcome: 'failed' };
      },
    },
    clearVolumeBackup: {
      kind: 'asked',
      todo: () => 'delete what is left in the store',
      done: () => ({ title: 'Deleted what was left in the store' }),
    },
    finishVolumeBackup: {
      kind: 'did',
      onlyRecords: true,
      todo: (input) => `record that it ${phase(textOf(input.state))}`,
      done(_, result) {
        const { state, message } = factsOf(result);
        return { title: `Recorded that it ${phase(textOf(state))}`, detail: textOf(message), state: textOf(state) };
      },
    },
  },

  signals: {
    turn: () => ({ kind: 'heard', title: 'Heard that its turn has come' }),
    cancelled: () => ({ kind: 'decided', title: 'A user cancelled the backup' }),
    commandFinished: (body) => ({
      kind: 'heard',
      title: `The agent reported: ${command(textOf(body.state))}`,
      detail: textOf(body.message),
      outcome: body.state === 'done' ? 'done' : body.state === 'cancelled' ? 'cancelled' : 'failed',
    }),
  },

  timer: () => ({
    what: 'for its turn',
    fired: (within) => ({ title: `Waited ${within} for its turn, and asked again` }),
    stopped: (after) => ({ title: `Waited ${after} for its turn` }),
  }),

  ended(result) {
    const state = textOf(result);
    return {
      title: `Ended: it ${phase(state)}`,
      outcome: state === 'succeeded' ? 'done' : state === 'failed' ? 'failed' : 'cancelled',
    };
  },

  idle: (state) => (state === 'queued' ? 'Waiting for its turn.' : 'Waiting for the agent to finish the backup.'),
};

function phase(state: string): string {
  const phases: Record<string, string> = {
    queued: 'waits for its turn',
    running: 'is running',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'was cancelled',
  };
  return phases[state] ?? `is ${state || 'unknown'}`;
}

function command(state: string): string {
  const ends: Record<string, string> = {
    done: 'the volume is in the store',
    failed: 'the backup could not be done',
    unknown: 'it was interrupted in the backup',
    lost: 'no answer; the agent that had taken the backup never reconnected',
    cancelled: 'stopped as requested',
    expired: 'no answer; the backup was not accepted in time',
  };
  return ends[state] ?? `the command is ${state || 'finished'}`;
}
