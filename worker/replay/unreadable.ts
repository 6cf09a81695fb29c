import type { HistoryEvent } from '../../domain/history-steps/step.ts';
import type { History } from '../../temporal/history/history-text.ts';
import { isPayload } from '../../temporal/history/in-plain.ts';

/** Encodings that every SDK reads; any other is sealed. */
const open: ReadonlySet<string> = new Set([
  ...['json/plain', 'json/protobuf', 'binary/plain', 'binary/protobuf', 'binary/null'],
]);

/** Events that the code itself wrote: a replay compares no contents, so sealed ones are no loss. */
const written: ReadonlySet<string> = new Set([
  'activityTaskScheduledEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
  'workflowExecutionCompletedEventAttributes',
  'workflowExecutionContinuedAsNewEventAttributes',
  'workflowExecutionFailedEventAttributes',
  'workflowPropertiesModifiedEventAttributes',
]);

/** The number of the first event with something sealed that the code would have to read. */
export function firstSealed({ events }: History): number | undefined {
  const found = (events ?? []).findIndex((event) =>
    Object.entries(event).some(
      ([name, value]) => name.endsWith('EventAttributes') && !written.has(name) && holds(value),
    ),
  );
  return found < 0 ? undefined : found + 1;
}

/** The number of the first event that is not where it should be. */
export function missingEvent(events: readonly HistoryEvent[]): number | undefined {
  const found = events.findIndex(({ id }, index) => id !== index + 1);
  return found < 0 ? undefined : found + 1;
}

function holds(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (isPayload(value)) return !open.has(Buffer.from(value.metadata?.encoding ?? []).toString());
  return Object.values(value).some(holds);
}
