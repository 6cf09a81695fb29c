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
