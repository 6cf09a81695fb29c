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
