import { type HistoryEvent, textOf } from '../history-steps/event.ts';

/** Events that exist because the code did something; the others happened to it. */
const commands: Readonly<Record<string, (attributes: HistoryEvent['attributes']) => string>> = {
  ActivityTaskScheduled: ({ activityType }) => `the activity ${textOf(activityType)} was requested`,
  ActivityTaskCancelRequested: () => 'an activity was asked to stop',
  TimerStarted: ({ timerId }) => `the timer ${textOf(timerId)} was set`,
  TimerCanceled: ({ timerId }) => `the timer ${textOf(timerId)} was cancelled`,
  MarkerRecorded: ({ markerName }) =>
    textOf(markerName) === 'core_patch' ? 'a patch was asked for' : `the marker ${textOf(markerName)} was recorded`,
  UpsertWorkflowSearchAttributes: () => 'a phase was shown',
  WorkflowPropertiesModified: () => 'its memo was changed',
  WorkflowExecutionCompleted: () => 'it ended',
  WorkflowExecutionFailed: () => 'it failed',
  WorkflowExecutionCanceled: () => 'it ended as cancelled',
  WorkflowExecutionContinuedAsNew: () => 'it continued in a new run',
  StartChildWorkflowExecutionInitiated: () => 'another workflow was started',
  SignalExternalWorkflowExecutionInitiated: () => 'a message was sent to another workflow',
  RequestCancelExternalWorkflowExecutionInitiated: () => 'another workflow was asked to stop',
};

export function isCommand({ type }: HistoryEvent): boolean {
  return Object.hasOwn(commands, type);
}

/** The deed of the code that this event tells of. */
export function thingOf({ type, attributes }: HistoryEvent): string {
  return commands[type]?.(attributes) ?? type;
}
