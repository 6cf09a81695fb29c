import { endActivity, scheduleActivity, startActivity } from './activity-step.ts';
import { Causes } from './causes.ts';
import { duration, failureText } from './in-words.ts';
import {
  endsRun,
  factsOf,
  type HistoryEvent,
  type HistoryStep,
  numberOf,
  type StepKind,
  textOf,
  unreadablePart,
} from './step.ts';
import { add, type Telling, type Trying } from './telling.ts';
import { toneOf } from './tone.ts';
import { type ActorWords, frameSignals, type Said, type TimerWords } from './words.ts';

/** The start of a run. The end of the previous run, if known, already tells that this one continues it. */
function beginRun(telling: Telling, event: HistoryEvent): void {
  const { input, memo, continuedExecutionRunId } = event.attributes;
  telling.about = factsOf(input);
  const detail = telling.words.about(telling.about);
  if (textOf(continuedExecutionRunId) === '') {
    add(telling, event, 'started', { title: startedBy(factsOf(memo).author), detail });
  } else if (telling.run === 1) {
    add(telling, event, 'continued', { title: 'Continued from a run whose history is no longer kept', detail });
  }
}

function endRun(telling: Telling, event: HistoryEvent): void {
  const { type, attributes } = event;
  switch (type) {
    case 'WorkflowExecutionContinuedAsNew': {
      const title = 'Continued in a new run: the history of this one had grown long';
      add(telling, event, 'continued', { title });
      return;
    }
    case 'WorkflowExecutionCompleted':
      add(telling, event, 'ended', telling.words.ended(attributes.result, telling.about)).state = textOf(
        attributes.result,
      );
      return;
    default:
      add(
        telling,
        event,
        'ended',
        { ...(badEnds[type] ?? { title: 'Ended' }), detail: textOf(attributes.reason) },
        failureText(attributes.failure),
      );
  }
}

const badEnds: Readonly<Record<string, Said>> = {
  WorkflowExecutionFailed: { title: 'Ended: failed', outcome: 'failed' },
  WorkflowExecutionTimedOut: { title: 'Ended: timed out', outcome: 'timed-out' },
  WorkflowExecutionCanceled: { title: 'Ended: cancelled', outcome: 'cancelled' },
  WorkflowExecutionTerminated: { title: 'Ended: terminated by an operator', outcome: 'failed' },
};

function startedBy(author: unknown): string {
  const { kind, id, name } = factsOf(author);
  const named = textOf(name);
  if (kind === 'user' && named !== '') return `Started by ${named}`;
  if (kind === 'token' && named !== '') return `Started with the API token “${named}”`;
  if (kind === 'machine' && id === 'reconciler') return 'Restarted by the control plane after its run was lost';
  if (kind === 'machine' || kind === 'actor') return 'Started by the control plane';
  return 'Started';
}

/** A deadline: either the timer fires, or the awaited event cancels the timer. */
function startTimer(telling: Telling, event: HistoryEvent): void {
  const timer = wordsOf(telling, event);
  const step = add(telling, event, 'waited', { title: `Waits ${timer.what}`, outcome: 'waiting' });
  step.until = new Date(Date.parse(event.at) + numberOf(event.attributes.startToFireTimeout)).toISOString();
  telling.open.set(event.id, { begun: event, step, timer });
}

function endTimer(telling: Telling, event: HistoryEvent): void {
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

interface RunHistory {
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
