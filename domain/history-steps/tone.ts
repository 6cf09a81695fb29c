import type { HistoryStep, Tone } from './step.ts';
import type { ActorWords } from './words.ts';
import { stateWords } from './words.ts';

const byOutcome: Readonly<Record<HistoryStep['outcome'], Tone | undefined>> = {
  done: undefined,
  retried: 'attention',
  failed: 'fault',
  waiting: 'live',
  'timed-out': 'fault',
  cancelled: 'neutral',
};

/** The colour of a step by its meaning: how it ended, else the state that was entered with it, else that it is done. */
export function toneOf({ kind, outcome, state }: HistoryStep, words: ActorWords): Tone {
  const entered = state === undefined ? undefined : stateWords(words, state).tone;
  const ended = byOutcome[outcome];
  // A run that ends in a state of its own has that state's colour: an update that came back is no plain failure.
  if (kind === 'ended' && outcome === 'failed' && entered !== undefined) return entered;
  if (ended !== undefined) return ended;
  if (entered !== undefined) return entered === 'live' ? 'neutral' : entered;
  return kind === 'asked' || kind === 'did' || kind === 'ended' ? 'good' : 'neutral';
}
