import { type HistoryEvent, numberOf } from './event.ts';
import { duration } from './in-words.ts';
import { add, type Telling } from './telling.ts';
import type { TimerWords } from './words.ts';

/** A deadline: either the timer fires, or the awaited event cancels the timer. */
export function startTimer(telling: Telling, event: HistoryEvent): void {
  const timer = wordsOf(telling, event);
  const step = add(telling, event, 'waited', { title: `Waits ${timer.what}`, outcome: 'waiting' });
  step.until = new Date(Date.parse(event.at) + numberOf(event.attributes.startToFireTimeout)).toISOString();
  telling.open.set(event.id, { begun: event, step, timer });
}

export function endTimer(telling: Telling, event: HistoryEvent): void {
  const started = numberOf(event.attributes.startedEventId);
  const open = telling.open.get(started);
  if (open === undefined) return;
  telling.open.delete(started);
  const { step, begun, timer = withoutWords } = open;
  step.events.push(event.id);
  step.finishedAt = event.at;
  delete step.until;
  const lasted = duration(Date.parse(event.at) - Date.parse(begun.at));
  const {
    title,
    detail = '',
    outcome = 'done',
  } = event.type === 'TimerFired'
    ? timer.fired(duration(numberOf(begun.attributes.startToFireTimeout)))
    : timer.stopped(lasted, telling.heard);
  Object.assign(step, { title, detail, outcome });
  if (event.type === 'TimerFired') telling.causes.add(step, event);
}

function wordsOf(telling: Telling, { attributes }: HistoryEvent): TimerWords {
  const milliseconds = numberOf(attributes.startToFireTimeout);
  return telling.words.timer?.({ ...telling.before, milliseconds }, telling.about) ?? withoutWords;
}

const withoutWords: TimerWords = {
  what: 'for a deadline',
  fired: (within) => ({ title: `Waited for ${within}` }),
  stopped: (after) => ({ title: `Waited for ${after}: then something happened` }),
};
