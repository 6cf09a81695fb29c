import type { Facts, HistoryEvent } from './event.ts';
import type { HistoryStep } from './step.ts';
import type { ActorWords, Said, TimerWords } from './words.ts';

/** What is known at one point of the telling of a run. */
export interface Telling {
  run: number;
  words: ActorWords;
  /** What the actor was started with. */
  about: Facts;
  told: HistoryStep[];
  /** Steps that are not over, by the number of the event that began them. */
  open: Map<number, Open>;
  /** By the id of the activity. */
  trying: ReadonlyMap<string, Trying>;
  /** The activity that was begun last. */
  before: { activity: string; input: Facts };
  /** The last signal since then. */
  heard: string;
}

interface Open {
  begun: HistoryEvent;
  step: HistoryStep;
  /** Of a deadline: how it is told. */
  timer?: TimerWords;
}

/** What is known of an activity that is still being tried; its history says so only when it is over. */
export interface Trying {
  attempts: number;
  failure: string;
  nextAttemptAt?: string;
}

/** Tells a step, which is over unless its outcome is `waiting`. */
export function add(
  telling: Telling,
  event: HistoryEvent,
  kind: HistoryStep['kind'],
  { title, detail = '', outcome = 'done' }: Said,
  failure = '',
): HistoryStep {
  const step: HistoryStep = {
    run: telling.run,
    events: [event.id],
    kind,
    title,
    detail,
    attempts: 1,
    failure,
    outcome,
    startedAt: event.at,
    ...(outcome === 'waiting' ? {} : { finishedAt: event.at }),
  };
  telling.told.push(step);
  return step;
}
