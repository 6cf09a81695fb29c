import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { HistoryEvent } from '../domain/history-steps/event.ts';
import { frameActivities, frameSignals } from '../domain/history-steps/frame-words.ts';
import { steps } from '../domain/history-steps/steps.ts';
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
    ({ kind, title, detail }) => `${kind}: ${title}${detail === '' ? '' : ` (${detail})`}`,
  );

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
    const called = [...program.matchAll(/const \{([^}]+)\} = proxyActivities/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim()),
    );
    const signals = Object.keys(await messagesOf(kind));
    expect(signals.length * activities.length).toBeGreaterThan(0);
    expect([workflow, called.filter((name) => name !== '').toSorted()]).toEqual([workflow, activities.toSorted()]);
    expect([workflow, Object.keys(words.signals).toSorted()]).toEqual([workflow, signals.toSorted()]);
    expect([workflow, Object.keys(words.activities).toSorted()]).toEqual([workflow, activities.toSorted()]);
    expect([workflow, Object.keys(words.states).toSorted()]).toEqual([workflow, descriptors[kind].states.toSorted()]);
  }
});

test('an update to a broken release that came back', async () => {
  expect(await story('agent-update-returned.json')).toEqual([
    'started: Started by Tester (Updates the agent from 1 to 2.)',
    'asked: Asked the agent to switch to 2 (From ballast-agent:1-111111111111 to ballast-agent:2-222222222222.)',
    'waited: Waited for the agent to accept the update: the agent answered after less than a second',
    'heard: The agent connected, back on 1 (2 did not work: It did not start.)',
    'did: Recorded that the agent rolled back to 1 (It did not start.)',
    'ended: Ended: the agent rolled back to 1',
  ]);
});

test('a deletion that was restored', async () => {
  expect(await story('deletion-restored.json')).toEqual([
    'started: Started by Tester (The organization is deleted; its owner can restore it until 2026-11-27 23:17 UTC.)',
    'waited: Kept the organization for less than a second: then its owner decided',
    'decided: The owner restored the organization',
    'ended: Ended: the organization was restored',
  ]);
});

test('a cluster that was lost, came back and was deleted', async () => {
  expect(await story('cluster-deleted.json')).toEqual([
    'started: Started by Tester (Follows the cluster until its deletion.)',
    'heard: An agent enrolled (On the machine one.)',
    'heard: The agent connected',
    'did: Recorded that the cluster is waiting for an agent (An agent enrolled.)',
    'did: Recorded that the cluster is ready (The agent connected.)',
    'heard: The agent reported a problem (No image.)',
    'did: Recorded that the cluster is degraded (No image.)',
    'heard: Lost contact with the agent',
    'did: Recorded that the cluster lost contact (No heartbeat came from the agent.)',
    'heard: Lost contact with the agent',
    'heard: The agent reconnected',
    'did: Recorded that the cluster is degraded (No image.)',
    'decided: The deletion of the cluster was requested',
    'did: Deleted the cluster and everything in it (Its commands have ended, and its agent is told to leave.)',
    'ended: Ended: the cluster was deleted',
  ]);
});
