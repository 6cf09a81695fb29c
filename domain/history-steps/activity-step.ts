import { failureText } from './in-words.ts';
import { type Facts, factsOf, type HistoryEvent, numberOf, textOf } from './step.ts';
import { add, type Telling } from './telling.ts';
import type { ActivityWords, Said } from './words.ts';
import { frameActivities } from './words.ts';

/** An activity of the actor: scheduled, retried until it succeeds, completed. */
export function scheduleActivity(telling: Telling, event: HistoryEvent): void {
  const { name, words, input } = activityOf(telling, event);
  const trying = telling.trying.get(textOf(event.attributes.activityId));
  const title = `Tries to ${words.todo(input, telling.about)}`;
  const step = add(telling, event, words.kind, { title, outcome: 'waiting' });
  if (trying !== undefined) {
    step.attempts = trying.attempts;
    step.failure = trying.failure;
    if (trying.nextAttemptAt !== undefined) step.until = trying.nextAttemptAt;
  }
  telling.open.set(event.id, { begun: event, step });
  telling.before = { activity: name, input };
  telling.heard = '';
  telling.causes.act();
}

export function startActivity(telling: Telling, event: HistoryEvent): void {
  const open = telling.open.get(numberOf(event.attributes.scheduledEventId));
  if (open === undefined) return;
  open.step.events.push(event.id);
  if (event.type !== 'ActivityTaskStarted') return;
  open.step.attempts = Math.max(1, numberOf(event.attributes.attempt));
  open.step.failure = failureText(event.attributes.lastFailure);
}

export function endActivity(telling: Telling, event: HistoryEvent): void {
  const scheduled = numberOf(event.attributes.scheduledEventId);
  const open = telling.open.get(scheduled);
  if (open === undefined) return;
  telling.open.delete(scheduled);
  const { step, begun } = open;
  step.events.push(event.id);
  step.finishedAt = event.at;
  delete step.until;
  const said = ended(telling, begun, event);
  const { title, detail = '', outcome = step.attempts > 1 ? 'retried' : 'done', state } = said;
  Object.assign(step, { title, detail, outcome });
  if (event.type !== 'ActivityTaskCompleted') step.failure = failureText(event.attributes.failure) || step.failure;
  const { name, words } = activityOf(telling, begun);
  if (words.onlyRecords === true && state !== undefined && telling.causes.fold(step, said)) {
    telling.told.splice(telling.told.indexOf(step), 1);
    return;
  }
  if (state !== undefined) step.state = state;
  if (Object.hasOwn(telling.words.activities, name)) telling.causes.add(step, event);
}

function ended(telling: Telling, begun: HistoryEvent, { type, attributes }: HistoryEvent): Said {
  const { words, input } = activityOf(telling, begun);
  const todo = words.todo(input, telling.about);
  switch (type) {
    case 'ActivityTaskCompleted':
      return words.done(input, attributes.result, telling.about);
    case 'ActivityTaskTimedOut':
      return { title: `Could not ${todo} in time`, outcome: 'timed-out' };
    case 'ActivityTaskCanceled':
      return { title: `Did not ${todo}`, detail: 'The step was cancelled.', outcome: 'cancelled' };
    default:
      return { title: `Could not ${todo}`, outcome: 'failed' };
  }
}

function activityOf({ words }: Telling, { attributes }: HistoryEvent) {
  const name = textOf(attributes.activityType);
  const input: Facts = factsOf(attributes.input);
  const known = Object.hasOwn(words.activities, name) ? words.activities : frameActivities;
  const own = Object.hasOwn(known, name) ? known[name] : undefined;
  return { name, input, words: own ?? unknown(name) };
}

/** Activities of another version, which have no words in this one. */
function unknown(name: string): ActivityWords {
  return { kind: 'did', todo: () => `do “${name}”`, done: () => ({ title: `Did “${name}”` }) };
}
