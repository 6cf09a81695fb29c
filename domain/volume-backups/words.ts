import { factsOf, type Tone, textOf } from '../history-steps/step.ts';
import type { ActorWords } from '../history-steps/words.ts';
import type { TransferState } from './states.ts';

export const transferStateWords = {
  queued: { word: 'Queued', tone: 'attention' },
  running: { word: 'Running', tone: 'live' },
  succeeded: { word: 'Succeeded', tone: 'good' },
  failed: { word: 'Failed', tone: 'fault' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
} as const satisfies Record<TransferState, { word: string; tone: Tone }>;

interface Said {
  noun: 'backup' | 'restore';
  /** The deed of the agent once it is done. */
  done: string;
}

type Activities = ActorWords['activities'];

/** The words of a claim, a stop and an end, which backups and restores have alike. */
export function transferActivities({ noun }: Said): {
  claim: Activities[string];
  stop: Activities[string];
  finish: Activities[string];
} {
  return {
    claim: {
      kind: 'did',
      todo: () => 'start when it is its turn',
      done(_, result) {
        const { state, message } = factsOf(result);
        if (state === 'running') return { title: `Asked the agent for the ${noun}`, state: 'running' };
        if (state === 'queued') return { title: 'Waited for its turn', detail: textOf(message) };
        return { title: `Found it ${phase(textOf(state))}`, state: textOf(state) };
      },
    },
    stop: {
      kind: 'asked',
      todo: () => 'ask the agent to stop',
      done: () => ({ title: 'Asked the agent to stop' }),
    },
    finish: {
      kind: 'did',
      onlyRecords: true,
      todo: (input) => `record that it ${phase(textOf(input.state))}`,
      done(_, result) {
        const { state, message } = factsOf(result);
        return { title: `Recorded that it ${phase(textOf(state))}`, detail: textOf(message), state: textOf(state) };
      },
    },
  };
}

/** All but the activities. */
export function transferWords({ noun, done }: Said): Omit<ActorWords, 'activities' | 'many' | 'title' | 'about'> {
  return {
    states: transferStateWords,

    signals: {
      turn: () => ({ kind: 'heard', title: 'Heard that its turn has come' }),
      cancelled: () => ({ kind: 'decided', title: `A user cancelled the ${noun}` }),
      commandFinished: (body) => ({
        kind: 'heard',
        title: `The agent reported: ${command(textOf(body.state), { noun, done })}`,
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

    idle: (state) => (state === 'queued' ? 'Waiting for its turn.' : `Waiting for the agent to finish the ${noun}.`),
  };
}

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

function command(state: string, { noun, done }: Said): string {
  const ends: Record<string, string> = {
    done,
    failed: `the ${noun} could not be done`,
    unknown: `it was interrupted in the ${noun}`,
    lost: `no answer; the agent that had taken the ${noun} never reconnected`,
    cancelled: 'stopped as requested',
    expired: `no answer; the ${noun} was not accepted in time`,
  };
  return ends[state] ?? `the command is ${state || 'finished'}`;
}
