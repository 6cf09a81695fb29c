import type { Tone } from './step.ts';
import type { ActorWords } from './words.ts';

/** A state that another version has written is shown under its own name. */
export function stateWords({ states }: Pick<ActorWords, 'states'>, state: string): { word: string; tone: Tone } {
  return (Object.hasOwn(states, state) ? states[state] : undefined) ?? { word: state, tone: 'neutral' };
}
