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

/** Temporal publishes no events of its histories, so a running one is polled while it is displayed. */
const movingMillis = 2_000;
/** The row finishes a moment before the history does. */
const endingMillis = 10_000;

/**
 * Whether a step is running. A workflow that waits for a timer or a message is not polled: the event stream reports its
 * next change.
 */
function movesByItself(actor: Answers['workflows']['get'] | undefined): boolean {
  if (actor === undefined) return false;
  if (actor.finishedAt !== undefined) return Math.abs(Date.now() - Date.parse(actor.finishedAt)) < endingMillis;
  return actor.pending.some(({ nextAttemptAt, lastFailure }) => nextAttemptAt === undefined || lastFailure !== '');
}

export function askAgainAfter(actor: Answers['workflows']['get'] | undefined): number | false {
  return movesByItself(actor) ? movingMillis : false;
}
