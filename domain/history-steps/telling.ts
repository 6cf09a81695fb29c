import type { Causes } from './causes.ts';
import type { Facts, HistoryEvent, HistoryStep } from './step.ts';
import type { ActorWords, Said, TimerWords } from './words.ts';

/** The facts known at one point of a run's history. */
export interface Telling {
  run: number;
  words: ActorWords;
  /** The input of the actor's start. */
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
  causes: Causes;
}

interface Open {
  begun: HistoryEvent;
  step: HistoryStep;
  /** Of a deadline: how it is told. */
  timer?: TimerWords;
}

/** Facts about an activity that is still being retried; its history has them only after its end. */
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
    tone: 'neutral',
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
