import { expect, test } from 'vitest';
import type { HistoryEvent } from '../history-steps/step.ts';
import { cutsOf, divergenceOf } from './divergence.ts';

const types = [
  ...['WorkflowExecutionStarted', 'WorkflowTaskScheduled', 'WorkflowTaskStarted', 'WorkflowTaskCompleted'],
  ...['ActivityTaskScheduled', 'ActivityTaskStarted', 'ActivityTaskCompleted'],
  ...['WorkflowTaskScheduled', 'WorkflowTaskStarted', 'WorkflowTaskFailed'],
  ...['WorkflowTaskScheduled', 'WorkflowTaskStarted', 'WorkflowTaskCompleted', 'TimerStarted'],
];
const events: HistoryEvent[] = types.map((type, index) => ({
  id: index + 1,
  type,
  at: '2026-11-23T09:00:00.000Z',
  attributes: { ActivityTaskScheduled: { activityType: 'claim' }, TimerStarted: { timerId: '1' } }[type] ?? {},
}));
const nondeterminism = (message: string) => `Replay failed. Details: [TMPRL1100] ${message}`;

test('a history is cut after the starts of tasks that were completed', () => {
  expect(cutsOf(events)).toEqual([3, 12]);
});

test('the event that the SDK names by its number is taken, in words', () => {
  const message =
    'Nondeterminism error: Timer machine does not handle this event: HistoryEvent(id: 5, ActivityTaskScheduled)';
  expect(divergenceOf(events, 12, nondeterminism(message))).toEqual({
    event: 5,
    type: 'ActivityTaskScheduled',
    at: '2026-11-23T09:00:00.000Z',
    history: 'the activity claim was requested',
    code: 'it set or cancelled a timer',
  });
});

test('one that it names by its activity is looked for in the task that diverges', () => {
  const message =
    "Nondeterminism error: Activity type of scheduled event 'claim' does not match activity type of activity command 'look'";
  expect(divergenceOf(events, 12, nondeterminism(message))).toMatchObject({
    event: 5,
    code: 'it requested the activity look',
  });
});

test('code that does nothing, and code that fails', () => {
  const nothing = nondeterminism(
    'Nondeterminism error: No command scheduled for event HistoryEvent(id: 14, TimerStarted)',
  );
  expect(divergenceOf(events, undefined, nothing)).toMatchObject({
    event: 14,
    history: 'the timer 1 was set',
    code: 'it did nothing, and waits',
  });
  const thrown = (more: string) =>
    `Details: Workflow activation completion failed: Failure { failure: Some(Failure { ${more} }) }`;
  const told = thrown('message: "The \\"row\\" is gone", source: "TypeScriptSDK"');
  expect(divergenceOf(events, 12, told)).toMatchObject({ event: 5, code: 'it failed: The "row" is gone' });
  const begin = Buffer.from('{"message":"broken here","stack').toString('base64');
  const encoded = thrown(`message: "Encoded failure", encoded_attributes: Some([${begin}..abc])`);
  expect(divergenceOf(events, undefined, encoded)).toMatchObject({ event: 14, code: 'it failed: broken here' });
});

test('a patch that is no longer asked for', () => {
  const message =
    'Details: Failure { message: "[TMPRL1100] Nondeterminism error: Non-deprecated patch marker encountered for change framed, but there is no corresponding change command!" }';
  expect(divergenceOf(events, 12, message)).toMatchObject({ code: 'it did not ask for the patch framed' });
});
