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

export const stepOutcomes = ['done', 'failed', 'waiting', 'timed-out', 'cancelled'] as const;
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
  startedAt: string;
  finishedAt?: string;
  /** Of a wait that is not over: until when at most. Of an activity: when it is tried again. */
  until?: string;
}
