import { expect, test } from 'vitest';
import { agentUpdateWords } from '../../workflows/agent-update/words.ts';
import { duration } from './in-words.ts';
import type { Facts, HistoryEvent } from './step.ts';
import { steps } from './steps.ts';
import { withoutSecrets } from './without-secrets.ts';

const about = { fromImage: 'ballast-agent:0.1.0-111111111111', toImage: 'ballast-agent:0.2.0-222222222222' };
const began = Date.parse('2030-01-01T12:00:00.000Z');

/** Events of one run, a second after one another. */
const happened = (...events: [string, Facts?][]): HistoryEvent[] =>
  events.map(([type, attributes = {}], index) => ({
    id: index + 1,
    type,
    at: new Date(began + index * 1_000).toISOString(),
    attributes,
  }));
const told = (...events: [string, Facts?][]) => steps({ number: 1, events: happened(...events) }, agentUpdateWords);
const started: [string, Facts] = ['WorkflowExecutionStarted', { input: about }];
const asked: [string, Facts] = [
  'ActivityTaskScheduled',
  { activityId: '1', activityType: 'beginAgentUpdate', input: about },
];

test('what failed at first and then worked tells how often it was tried, and why it failed', () => {
  const [, step] = told(
    started,
    asked,
    [
      'ActivityTaskStarted',
      { scheduledEventId: 2, attempt: 4, lastFailure: { message: 'x', cause: { message: 'No database.' } } },
    ],
    ['ActivityTaskCompleted', { scheduledEventId: 2, result: {} }],
  );
  expect(step).toMatchObject({ title: 'Asked the agent to switch to 0.2.0', attempts: 4, failure: 'No database.' });
  expect(step).toMatchObject({
    outcome: 'retried',
    tone: 'attention',
    events: [2, 3, 4],
    finishedAt: '2030-01-01T12:00:03.000Z',
  });
});

test('what is being tried says so; what Temporal knows of it beyond the history is told too', () => {
  const trying = new Map([['1', { attempts: 3, failure: 'No database.', nextAttemptAt: '2030-01-01T12:01:00.000Z' }]]);
  const [, step] = steps({ number: 1, events: happened(started, asked) }, agentUpdateWords, trying);
  expect(step).toMatchObject({ title: 'Tries to ask the agent to switch to 0.2.0', outcome: 'waiting', attempts: 3 });
  expect(step).toMatchObject({ failure: 'No database.', until: '2030-01-01T12:01:00.000Z' });
  expect(step).not.toHaveProperty('finishedAt');
});

test('a deadline that passed, and one that is still running', () => {
  const shown: [string, Facts] = [
    'ActivityTaskScheduled',
    { activityType: 'showAgentUpdate', input: { state: 'switching' } },
  ];
  const timer: [string, Facts] = ['TimerStarted', { startToFireTimeout: 180_000 }];
  const waiting = told(started, shown, ['ActivityTaskCompleted', { scheduledEventId: 2 }], timer);
  expect(waiting.at(-1)).toMatchObject({ title: 'Waits for the agent to connect', until: '2030-01-01T12:03:03.000Z' });
  const over = told(started, shown, ['ActivityTaskCompleted', { scheduledEventId: 2 }], timer, [
    'TimerFired',
    { startedEventId: 4 },
  ]);
  expect(over.at(-1)).toMatchObject({
    title: 'Waited for the agent to connect: it did not connect within 3 min',
    outcome: 'timed-out',
  });
});

test('a message is told with the state that it led to, also if it came while the actor was busy; one without effect stays alone', () => {
  const look: [string, Facts] = ['WorkflowTaskStarted', {}];
  const progress: [string, Facts] = [
    'WorkflowExecutionSignaled',
    { signalName: 'progress', input: { body: { phase: 'downloading' } } },
  ];
  const record: [string, Facts] = [
    'ActivityTaskScheduled',
    { activityType: 'showAgentUpdate', input: { state: 'downloading' } },
  ];
  const all = told(
    started,
    look,
    asked,
    progress,
    look,
    ['ActivityTaskCompleted', { scheduledEventId: 3, result: {} }],
    look,
    record,
    ['ActivityTaskCompleted', { scheduledEventId: 8 }],
  );
  expect(all.map(({ kind, state }) => [kind, state])).toEqual([
    ['started', undefined],
    ['asked', undefined],
    ['heard', 'downloading'],
  ]);
  expect(all.at(-1)).toMatchObject({ events: [4, 8, 9], finishedAt: '2030-01-01T12:00:08.000Z' });
  // Seen at rest, and nothing came of it: what is written down later has another cause.
  const later = told(started, look, progress, look, look, record, ['ActivityTaskCompleted', { scheduledEventId: 6 }]);
  expect(later.map(({ kind, state }) => [kind, state])).toEqual([
    ['started', undefined],
    ['heard', undefined],
    ['did', 'downloading'],
  ]);
});

test('a run that was terminated leaves nothing waiting; an operator is told of by name of the deed', () => {
  const all = told(started, asked, ['WorkflowExecutionTerminated', { reason: 'By hand.' }]);
  expect(all.map(({ outcome }) => outcome)).toEqual(['done', 'cancelled', 'failed']);
  expect(all.at(-1)).toMatchObject({ title: 'Ended: terminated by an operator', detail: 'By hand.' });
});

test('what this version has no words for is told all the same, and defects of the program are', () => {
  const all = told(
    started,
    ['ActivityTaskScheduled', { activityType: 'constructor' }],
    ['ActivityTaskTimedOut', { scheduledEventId: 2, failure: { message: 'x', timeout: 'HEARTBEAT' } }],
    ['WorkflowExecutionSignaled', { signalName: 'toString', input: 'not an object' }],
    ['WorkflowTaskFailed', { failure: { message: 'It differs.' } }],
    ['NexusOperationScheduled'],
    ['ActivityTaskCompleted', { scheduledEventId: 99 }],
  );
  expect(all.slice(1).map(({ title, failure }) => [title, failure])).toEqual([
    ['Could not do “constructor” in time', 'The worker of this step stopped sending heartbeats.'],
    ['Received “toString”', ''],
    ['The code failed at this point and is retried', 'It differs.'],
    ['Other event: NexusOperationScheduled', ''],
  ]);
});

test('lengths of time', () => {
  expect([999, 1_000, 59_600, 90_000, 3_600_000, 604_800_000, 90_061_000].map(duration)).toEqual([
    'less than a second',
    '1 s',
    '1 min',
    '1 min 30 s',
    '1 h',
    '7 d',
    '1 d 1 h',
  ]);
});

test('secrets are hidden wherever they lie, and what is too long is cut', () => {
  const input = {
    name: 'web',
    clientSecret: 'a',
    list: [{ apiToken: 'b' }, { nested: { Authorization: 'c', sshPrivateKey: { d: 'e' } } }],
    environment: { GREETING: 'f', nested: { deep: 'g' } },
    url: 'postgres://ballast:h@db.example.com/x',
    envVars: { GREETING: 'i' },
    nothing: null,
  };
  const shown = withoutSecrets({ input });
  expect(shown).toEqual({
    input: {
      name: 'web',
      clientSecret: 'hidden',
      list: [{ apiToken: 'hidden' }, { nested: { Authorization: 'hidden', sshPrivateKey: 'hidden' } }],
      environment: { GREETING: 'hidden', nested: 'hidden' },
      url: 'postgres://hidden@db.example.com/x',
      envVars: { GREETING: 'hidden' },
      nothing: null,
    },
  });
  const long = withoutSecrets({ password: 'x'.repeat(50_000), text: 'é'.repeat(20_000) });
  expect(long).toMatchObject({ cut: 'Only the beginning is shown; it has 40 kB.' });
  expect(JSON.stringify(long).length).toBeLessThan(16_384);
  expect(JSON.stringify(long)).not.toContain('xx');
});
