import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { stagesOf } from '../domain/history-steps/stages.ts';
import type { HistoryEvent } from '../domain/history-steps/step.ts';
import { steps } from '../domain/history-steps/steps.ts';
import { frameActivities, frameSignals } from '../domain/history-steps/words.ts';
import { historyEvents } from '../temporal/history/history-events.ts';
import { messagesOf } from '../test/actors/actor-messages.ts';
import { recordedHistory } from '../test/actors/recorded-history.ts';
import { descriptors, actorKinds as kinds } from './descriptors.ts';

const checkout = new URL('../', import.meta.url);
const folder = new URL('test/histories/', checkout);

/** Recorded histories are in plain. */
const plain = { encode: async <T>(payloads: T) => payloads, decode: async <T>(payloads: T) => payloads };

async function recorded(file: string): Promise<HistoryEvent[]> {
  return await historyEvents(await recordedHistory(file.replace('.json', '')), plain);
}
const kindOf = (file: string) => kinds.find((kind) => file.startsWith(`${kind}-`));
const files = await readdir(folder);
const story = async (file: string) =>
  steps({ number: 1, events: await recorded(file) }, descriptors[kindOf(file) ?? 'cluster'].words).map(
    ({ kind, title, detail, tone, state }) =>
      `${kind}${tone === 'neutral' ? '' : ` ${tone}`}: ${title}${detail === '' ? '' : ` (${detail})`}${state === undefined ? '' : ` → ${state}`}`,
  );
const stages = async (file: string, end?: string) => {
  const descriptor = descriptors[kindOf(file) ?? 'cluster'];
  const events = await recorded(file);
  const [begunIn = ''] = descriptor.states;
  const over = end === undefined ? {} : { finishedAt: events.at(-1)?.at ?? '' };
  const course = { steps: steps({ number: 1, events }, descriptor.words), begunIn, state: end ?? '', ...over };
  return stagesOf(descriptor, course).map(({ title, outcome }) => `${title}: ${outcome}`);
};

test.each(files)('%s: every activity and signal has words of its own, and the story ends', async (file) => {
  const kind = kindOf(file);
  if (kind === undefined) throw new Error(`${file} does not say which kind of actor it is of.`);
  const { words } = descriptors[kind];
  const events = await recorded(file);
  for (const { type, attributes } of events) {
    if (type === 'ActivityTaskScheduled')
      expect({ ...frameActivities, ...words.activities }).toHaveProperty([String(attributes.activityType)]);
    if (type === 'WorkflowExecutionSignaled')
      expect({ ...frameSignals, ...words.signals }).toHaveProperty([String(attributes.signalName)]);
    if (type === 'TimerStarted') expect(words.timer).toBeDefined();
  }
  const told = steps({ number: 1, events }, words);
  expect(told.filter((step) => step.kind === 'other')).toEqual([]);
  if (!file.includes('-open-')) {
    expect(told.filter((step) => step.outcome === 'waiting')).toEqual([]);
    expect(['ended', 'continued']).toContain(told.at(-1)?.kind);
  }
  // Nothing of a machine, of a program or of an unknown state shows through.
  const text = told.map(({ title, detail, failure }) => `${title} ${detail} ${failure}`).join('\n');
  expect(text).not.toMatch(/undefined|unknown|null|\[object|[0-9a-f]{8}-[0-9a-f]{4}|workflow|activity/i);
});

test('the words of every actor are complete: each activity and each signal there is has its own', async () => {
  for (const kind of kinds) {
    const { workflow, activities, words } = descriptors[kind];
    const program = await readFile(new URL(`workflows/${kind}/workflow.ts`, checkout), 'utf8');
    const called = [...program.matchAll(/const \{([^}]+)\} =\s+proxyActivities/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim()),
    );
    const signals = Object.keys(await messagesOf(kind));
    expect(signals.length * activities.length).toBeGreaterThan(0);
    expect([workflow, called.filter((name) => name !== '').toSorted()]).toEqual([workflow, activities.toSorted()]);
    expect([workflow, Object.keys(words.signals).toSorted()]).toEqual([workflow, signals.toSorted()]);
    expect([workflow, Object.keys(words.activities).toSorted()]).toEqual([workflow, activities.toSorted()]);
    expect([workflow, Object.keys(words.states).toSorted()]).toEqual([workflow, descriptors[kind].states.toSorted()]);
    expect([workflow, Object.keys(descriptors[kind].ends).toSorted()]).toEqual([
      workflow,
      descriptors[kind].final.toSorted(),
    ]);
  }
});

test('an update to a broken release that came back', async () => {
  expect(await story('agent-update-returned.json')).toEqual([
    'started: Started by Tester (Updates the agent from 1 to 2.)',
    'asked good: Asked the agent to switch to 2 (From ballast-agent:1-111111111111 to ballast-agent:2-222222222222.)',
    'waited: Waited for the agent to accept the update: the agent answered after less than a second',
    'heard fault: The agent connected, back on 1 (2 did not work: It did not start.) → returned',
    'ended attention: Ended: the agent rolled back to 1 → returned',
  ]);
});

test('a deployment that the agent returned', async () => {
  expect(await story('deployment-returned.json')).toEqual([
    'started: Started by Tester (Rolls out a release.)',
    'did good: Read the current state',
    'did: Started: the cluster was told to run the release → preparing',
    'waited: Waited for the agent for less than a second',
    'heard: The agent starts new instances → starting',
    'waited: Waited for the agent for less than a second',
    'heard fault: The agent returned to the release before (web-2 failed. web-2 exited with code 3.) → failed',
    'ended fault: Ended: the deployment failed → failed',
  ]);
  expect(await stages('deployment-returned.json', 'failed')).toEqual([
    'Queue: done',
    'Prepare: done',
    'Release command: skipped',
    'Start: failed',
    'Check: skipped',
    'Switch: skipped',
    'Drain: skipped',
  ]);
});

test('a deletion that was restored', async () => {
  expect(await story('deletion-restored.json')).toEqual([
    'started: Started by Tester (The organization is deleted; its owner can restore it until 2026-11-27 23:17 UTC.)',
    'waited: Kept the organization for less than a second: then its owner decided',
    'decided: The owner restored the organization',
    'ended good: Ended: the organization was restored → restored',
  ]);
});

test('a cluster that was lost, came back and was deleted: each message is told once, with the state that it led to', async () => {
  expect(await story('cluster-deleted.json')).toEqual([
    'started: Started by Tester (Follows the cluster until its deletion.)',
    'heard attention: An agent enrolled (On the machine one.) → awaiting-agent',
    'heard good: The agent connected → ready',
    'heard fault: The agent reported a problem (No image.) → degraded',
    'heard fault: Lost contact with the agent (No heartbeat came from the agent.) → lost',
    'heard fault: Lost contact with the agent',
    'heard attention: The agent reconnected (No image.) → degraded',
    'decided: The deletion of the cluster was requested',
    'did: Deleted the cluster and everything in it (Its commands have ended, and its agent is told to leave.) → deleted',
    'ended: Ended: the cluster was deleted → deleted',
  ]);
});

test('the stages of an update that came back, of one in progress, and of a deletion that was restored', async () => {
  expect(await stages('agent-update-returned.json', 'returned')).toEqual([
    'Request: failed',
    'Download: skipped',
    'Switch: skipped',
  ]);
  expect(await stages('agent-update-succeeded.json', 'succeeded')).toEqual([
    'Request: done',
    'Download: skipped',
    'Switch: done',
  ]);
  expect(await stages('agent-update-open-downloading.json')).toEqual([
    'Request: done',
    'Download: running',
    'Switch: waiting',
  ]);
  expect(await stages('deletion-restored.json', 'restored')).toEqual(['Retention: done', 'Purge: skipped']);
  expect(await stages('cluster-deleted.json', 'deleted')).toEqual([
    'Waiting for its agent: done',
    'Ready: done',
    'Degraded: done',
    'Lost contact: done',
    'Degraded: done',
  ]);
});
