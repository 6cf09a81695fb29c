import { type Facts, textOf } from '../history-steps/step.ts';
import type { Said, TimerWords } from '../history-steps/words.ts';

/** Attempts of one message; with the waits between them it takes some seventeen hours until it is given up. */
export const mostAttempts = 24;

const firstWaitSeconds = 30;
const longestWaitSeconds = 3_600;

/** The wait after so many attempts that failed: doubling, or as long as the other side asked for, and never above an hour. */
export function waitAfter(attempts: number, retryAfterSeconds = 0): number {
  const own = firstWaitSeconds * 2 ** Math.min(attempts - 1, 20);
  return Math.min(Math.max(own, retryAfterSeconds), longestWaitSeconds);
}

/** The channel's `lastError` while a message is retried. */
export function retryingSentence(error: string, attempts: number, waitSeconds: number): string {
  return `${error} Attempt ${attempts} of ${mostAttempts}; the next is in ${lengthOf(waitSeconds)}.`;
}

/** And once it is not. */
export function gaveUpSentence(error: string, attempts: number): string {
  return `${error} Gave up after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}.`;
}

/** And while so many wait that more are left out. */
export function fullSentence(most: number): string {
  return `${most.toLocaleString('en')} messages wait for this channel; newer ones are left out until some have been sent.`;
}

function lengthOf(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return '1 hour';
}

/** One attempt to reach a channel, by what its row said then. `titles`: where it arrived or was not made, by the state. */
export function attempted(says: Facts, titles: Readonly<Record<string, string>>): Said {
  const [state, error] = [textOf(says.state), textOf(says.error)];
  if (says.busy === true) return { title: 'Waited its turn: other messages to this channel are under way' };
  if (says.held === true) return { title: 'Held: the organization is deleted' };
  if (error !== '') return { title: 'The attempt failed', detail: error, state, outcome: 'failed' };
  return { title: titles[state] ?? 'Found nothing to send', state };
}

export function triedAgain(): Said & { kind: 'decided' } {
  return { kind: 'decided', title: 'An attempt at once was asked for' };
}

export function untilNextAttempt(): TimerWords {
  return {
    what: 'for the next attempt',
    fired: (within) => ({ title: `Waited ${within} for the next attempt` }),
    stopped: (after, by) =>
      by === 'cancelled' || by === ''
        ? { title: `Waited for the next attempt: it was cancelled after ${after}`, outcome: 'cancelled' }
        : { title: `Waited ${after} for the next attempt` },
  };
}
