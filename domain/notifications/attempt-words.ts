import { type Facts, textOf } from '../history-steps/event.ts';
import type { Said, TimerWords } from '../history-steps/words.ts';

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
