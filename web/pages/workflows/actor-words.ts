import { descriptors } from '../../../workflows/descriptors.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Actor = Answers['workflows']['list']['items'][number];
export type ActorDetail = Answers['workflows']['get'];
export type Kind = Actor['kind'];

/** For filters alone: titles, states and colours of a workflow are told by the API. */
export const actorKinds = Object.keys(descriptors) as Kind[];

export function isKind(value: string | undefined): value is Kind {
  return value !== undefined && Object.hasOwn(descriptors, value);
}

export function manyOf(kind: Kind): string {
  return descriptors[kind].words.many;
}

export function livesOf(kind: Kind): 'once' | 'for-ever' {
  return descriptors[kind].lives;
}
