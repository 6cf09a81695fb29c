import type { ActorWords } from '../../../domain/history-steps/words.ts';
import { descriptors } from '../../../workflows/descriptors.ts';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Actor = Answers['workflows']['list']['items'][number];
type Kind = Actor['kind'];

export const actorKinds = Object.keys(descriptors) as Kind[];

/** A newer control plane may have more kinds; unknown ones are shown under their API name. */
function wordsOf(kind: Kind): ActorWords | undefined {
  return Object.hasOwn(descriptors, kind) ? descriptors[kind].words : undefined;
}

export function isKind(value: string | undefined): value is Kind {
  return value !== undefined && Object.hasOwn(descriptors, value);
}

export function manyOf(kind: Kind): string {
  return wordsOf(kind)?.many ?? kind;
}

/** The thing that `subjectId` is the id of, in words. */
export function subjectOf(kind: Kind): string {
  if (!isKind(kind)) return kind;
  const { row, belongsTo } = descriptors[kind];
  return row.subjectId === 'actor.id' ? kind : (belongsTo ?? 'organization').replaceAll('_', ' ');
}

export function actorTitle({ kind, name }: Pick<Actor, 'kind' | 'name'>): string {
  return wordsOf(kind)?.title(name) ?? `${kind} ${name}`;
}

export function stateWords({ kind, state }: Pick<Actor, 'kind' | 'state'>): { word: string; tone: Tone } {
  const states = wordsOf(kind)?.states ?? {};
  return (Object.hasOwn(states, state) ? states[state] : undefined) ?? { word: state, tone: 'neutral' };
}
