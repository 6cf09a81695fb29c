import { endActivity, scheduleActivity, startActivity } from './activity-step.ts';
import { Causes } from './causes.ts';
import { endsRun, factsOf, type HistoryEvent, textOf, unreadablePart } from './event.ts';
import { frameSignals } from './frame-words.ts';
import { failureText } from './in-words.ts';
import { beginRun, endRun } from './run-step.ts';
import type { HistoryStep, StepKind } from './step.ts';
import { add, type Telling, type Trying } from './telling.ts';
import { endTimer, startTimer } from './timer-step.ts';
import { toneOf } from './tone.ts';
import type { ActorWords, Said } from './words.ts';

export interface RunHistory {
  /** From 1. */
  number: number;
  /** In order. */
  events: readonly HistoryEvent[];
}

/** One run of an actor as steps: each joins the events that belong together. */
export function steps(
  { number, events }: RunHistory,
  words: ActorWords,
  trying: ReadonlyMap<string, Trying> = new Map(),
): HistoryStep[] {
  const before = { activity: '', input: {} };
  const telling: Telling = {
    ...{ run: number, words, about: {}, told: [], open: new Map() },
    ...{ trying, before, heard: '', causes: new Causes() },
  };
  for (const event of events) {
    const tell = Object.hasOwn(tellers, event.type) ? tellers[event.type] : undefined;
    (tell ?? tellOther)(telling, event);
  }
  const last = events.at(-1);
  if (last !== undefined && endsRun(last)) {
    // Steps that were started and not awaited have ended with the run.
    for (const { step } of telling.open.values()) Object.assign(step, { outcome: 'cancelled', finishedAt: last.at });
  }
  for (const step of telling.told) step.tone = toneOf(step, words);
  return telling.told;
}

type Teller = (telling: Telling, event: HistoryEvent) => void;

const tellers: Readonly<Record<string, Teller>> = {
  WorkflowExecutionStarted: beginRun,
  WorkflowExecutionSignaled: hear,
  WorkflowExecutionCancelRequested(telling, event) {
    telling.heard = '';
    const title = 'An operator requested cancellation';
    const step = add(telling, event, 'decided', { title, detail: textOf(event.attributes.cause) });
    telling.causes.add(step, event);
  },
  ActivityTaskScheduled: scheduleActivity,
  ActivityTaskStarted: startActivity,
  ActivityTaskCancelRequested: startActivity,
  ActivityTaskCompleted: endActivity,
  ActivityTaskFailed: endActivity,
  ActivityTaskTimedOut: endActivity,
  ActivityTaskCanceled: endActivity,
  TimerStarted: startTimer,
  TimerFired: endTimer,
  TimerCanceled: endTimer,
  WorkflowTaskFailed(telling, event) {
    const title = 'The code failed at this point and is retried';
    add(telling, event, 'other', { title, outcome: 'failed' }, failureText(event.attributes.failure));
  },
  WorkflowTaskTimedOut(telling, event) {
    // A timeout before the start only shows that the workers were restarted.
    if (event.attributes.timeoutType !== 'START_TO_CLOSE') return;
    const title = 'The worker stopped, and another one continued';
    add(telling, event, 'other', { title, outcome: 'timed-out' });
  },
  [unreadablePart](telling, event) {
    const detail = textOf(event.attributes.why);
    add(telling, event, 'other', { title: 'A part of the history cannot be read', detail, outcome: 'failed' });
  },
  WorkflowTaskScheduled: bookkeeping,
  WorkflowTaskStarted(telling, event) {
    telling.causes.look(
      event,
      [...telling.open.values()].some(({ timer }) => timer === undefined),
    );
  },
  WorkflowTaskCompleted: bookkeeping,
  UpsertWorkflowSearchAttributes: bookkeeping,
  MarkerRecorded: bookkeeping,
  WorkflowPropertiesModified: bookkeeping,
  WorkflowExecutionOptionsUpdated: bookkeeping,
};

function bookkeeping(): void {}

function tellOther(telling: Telling, event: HistoryEvent): void {
  if (endsRun(event)) endRun(telling, event);
  else add(telling, event, 'other', { title: `Other event: ${event.type}` });
}

function hear(telling: Telling, event: HistoryEvent): void {
  const signal = textOf(event.attributes.signalName);
  const body = factsOf(factsOf(event.attributes.input).body);
  telling.heard = signal;
  const { signals } = telling.words;
  const words = Object.hasOwn(signals, signal) ? signals[signal] : undefined;
  const { kind, ...said }: Said & { kind: StepKind } = words?.(body, telling.about) ?? {
    kind: 'heard',
    title: Object.hasOwn(frameSignals, signal) ? (frameSignals[signal] ?? '') : `Received “${signal}”`,
  };
  const { state, ...rest } = said;
  telling.causes.add(add(telling, event, kind, rest), event, state);
}
