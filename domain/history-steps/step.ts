/** Meanings of colours; web/components/style.ts has the same. */
export const tones = ['neutral', 'live', 'good', 'attention', 'fault'] as const;
export type Tone = (typeof tones)[number];

/** Kinds of steps; api/workflows/workflow.ts describes each. */
export const stepKinds = [
  'started',
  'decided',
  'heard',
  'asked',
  'did',
  'waited',
  'continued',
  'ended',
  'other',
] as const;
export type StepKind = (typeof stepKinds)[number];

/** `retried`: done, after attempts that failed. */
export const stepOutcomes = ['done', 'retried', 'failed', 'waiting', 'timed-out', 'cancelled'] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

/** One step of an actor's history as people read it: the events that belong together. */
export interface HistoryStep {
  run: number;
  /** The numbers of its events in the run; the first one orders the steps. */
  events: number[];
  kind: StepKind;
  title: string;
  detail: string;
  attempts: number;
  /** Why the last attempt failed, even if a later one did not; empty if none failed. */
  failure: string;
  outcome: StepOutcome;
  /** The meaning of its colour: a step can be done and tell of something bad. */
  tone: Tone;
  /** The state that was entered with it. */
  state?: string;
  startedAt: string;
  finishedAt?: string;
  /** Of a wait that is not over: until when at most. Of an activity: when it is tried again. */
  until?: string;
}

/** Worth a look when something went wrong: the step failed, an attempt of it did, or it tells of a failure. */
export function isFailure({ outcome, failure, tone }: HistoryStep): boolean {
  return outcome === 'failed' || outcome === 'timed-out' || failure !== '' || tone === 'fault';
}

/** One event of an actor's history as plain data: Temporal's own shapes stay in temporal/. */
export interface HistoryEvent {
  /** Counts from 1 in each run. */
  id: number;
  /** As Temporal calls it: `ActivityTaskScheduled`. */
  type: string;
  /** ISO 8601. */
  at: string;
  attributes: Facts;
}

/** Attributes, messages, inputs and results as stored with an event: looked into, never trusted. */
export type Facts = Readonly<Record<string, unknown>>;

export function factsOf(value: unknown): Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The type of the event that stands for a part of the archive that cannot be read. */
export const unreadablePart = 'UnreadablePart';

const runEnds: ReadonlySet<string> = new Set([
  'WorkflowExecutionCompleted',
  'WorkflowExecutionFailed',
  'WorkflowExecutionTimedOut',
  'WorkflowExecutionCanceled',
  'WorkflowExecutionTerminated',
  'WorkflowExecutionContinuedAsNew',
]);

/** Whether the run ends with this event. */
export function endsRun(event: HistoryEvent | undefined): boolean {
  return event !== undefined && runEnds.has(event.type);
}
