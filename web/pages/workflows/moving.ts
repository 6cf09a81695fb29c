import type { Answers } from '../../control-plane/session.ts';

/** Temporal tells nobody of what it writes down, so what is under way is asked for again while it is looked at. */
const movingMillis = 2_000;
/** The row says that it is over a moment before its history does. */
const endingMillis = 10_000;

/** Whether something is under way. What waits for a time or for somebody is not: when that comes, the event stream says so. */
function movesByItself(actor: Answers['workflows']['get'] | undefined): boolean {
  if (actor === undefined) return false;
  if (actor.finishedAt !== undefined) return Math.abs(Date.now() - Date.parse(actor.finishedAt)) < endingMillis;
  return actor.pending.some(({ nextAttemptAt, lastFailure }) => nextAttemptAt === undefined || lastFailure !== '');
}

export function askAgainAfter(actor: Answers['workflows']['get'] | undefined): number | false {
  return movesByItself(actor) ? movingMillis : false;
}
