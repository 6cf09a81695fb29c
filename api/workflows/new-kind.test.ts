import { readFile } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { afterAll, expect, test } from 'vitest';
import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import type { ActorDescriptor } from '../../domain/actors/actor-descriptor.ts';
import { textOf } from '../../domain/history-steps/step.ts';
import { historyFromText } from '../../temporal/history/history-text.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { type ActorKind, actorKinds, descriptors } from '../../workflows/descriptors.ts';

const { History } = proto.temporal.api.history.v1;

/** A kind that exists nowhere but here: all that people see of it follows from this. */
const voyage: ActorDescriptor = {
  ...{ kind: 'voyage', workflow: 'voyage', table: 'voyage', belongsTo: 'cluster', hint: 'cluster', lives: 'once' },
  ...{ states: ['loading', 'sailing', 'landed', 'sunk'], final: ['landed', 'sunk'], gone: 'sunk' },
  ends: { landed: 'succeeded', sunk: 'failed' },
  stages: [
    { name: 'load', title: 'Load', states: ['loading'] },
    { name: 'sail', title: 'Sail', states: ['sailing'] },
  ],
  readBy: { role: 'deployer', projectTokens: false },
  row: { name: "'The Beagle'", overdue: 'false' },
  input: { from: () => ({}) },
  purge: { keeps: [] },
  activities: ['sail', 'log'],
  readByRequester: false,
  words: {
    many: 'Voyages',
    title: (name) => `Voyage of ${name}`,
    states: {
      loading: { word: 'Loading', tone: 'live' },
      sailing: { word: 'At sea', tone: 'live' },
      landed: { word: 'Landed', tone: 'good' },
      sunk: { word: 'Sunk', tone: 'fault' },
    },
    about: ({ to }) => `Sails to ${textOf(to)}.`,
    activities: {
      sail: { kind: 'did', todo: () => 'put to sea', done: () => ({ title: 'Put to sea', state: 'sailing' }) },
      log: {
        ...{ kind: 'did', onlyRecords: true, todo: () => 'write the log' },
        done: ({ state }) => ({ title: 'Wrote the log', state: textOf(state) }),
      },
    },
    signals: { storm: () => ({ kind: 'heard', title: 'A storm came', outcome: 'failed', state: 'sunk' }) },
    ended: () => ({ title: 'Ended: the ship sank', outcome: 'failed' }),
    idle: () => '',
  },
};

Object.assign(descriptors, { voyage });
actorKinds.push('voyage' as ActorKind);
const api = await runningApi();
const ours = await api.organization();
await api.sql`create table voyage (like agent_update including defaults)`;
await api.sql`alter table voyage drop kind, drop from_image, drop to_image`;
afterAll(async () => {
  await api.close();
  actorKinds.splice(actorKinds.indexOf('voyage' as ActorKind), 1);
  Reflect.deleteProperty(descriptors, 'voyage');
});

const payload = (value: unknown) => ({
  metadata: { encoding: Buffer.from('json/plain').toString('base64') },
  data: Buffer.from(JSON.stringify(value)).toString('base64'),
});
const input = (value: unknown) => ({ payloads: [payload(value)] });

/** A voyage that met a storm: an event each ten seconds. */
function history(begun: number): Buffer {
  const happened: [string, string, object][] = [
    ['WORKFLOW_EXECUTION_STARTED', 'workflowExecutionStarted', { input: input({ to: 'the Galapagos' }) }],
    [
      'ACTIVITY_TASK_SCHEDULED',
      'activityTaskScheduled',
      { activityId: '1', activityType: { name: 'sail' }, input: input({}) },
    ],
    ['ACTIVITY_TASK_COMPLETED', 'activityTaskCompleted', { scheduledEventId: '2' }],
    [
      'WORKFLOW_EXECUTION_SIGNALED',
      'workflowExecutionSignaled',
      { signalName: 'storm', input: input({ id: 's', body: {} }) },
    ],
    [
      'ACTIVITY_TASK_SCHEDULED',
      'activityTaskScheduled',
      { activityId: '2', activityType: { name: 'log' }, input: input({ state: 'sunk' }) },
    ],
    ['ACTIVITY_TASK_COMPLETED', 'activityTaskCompleted', { scheduledEventId: '5' }],
    ['WORKFLOW_EXECUTION_COMPLETED', 'workflowExecutionCompleted', { result: input('sunk') }],
  ];
  const events = happened.map(([type, name, attributes], index) => ({
    eventId: String(index + 1),
    eventTime: new Date(begun + index * 10_000).toISOString().replace('000Z', '000000000Z'),
    eventType: `EVENT_TYPE_${type}`,
    [`${name}EventAttributes`]: attributes,
  }));
  return Buffer.from(History.encode(History.fromObject(historyFromText(JSON.stringify({ events })))).finish());
}

test('a kind that only its descriptor knows is listed, shown and told with its words, stages and colours', async () => {
  const { organizationId, tokens } = ours;
  const [id, clusterId, runId] = [1, 2, 3].map((last) => `01990000-0000-7000-8000-00000000000${last}`);
  const begun = Date.parse('2026-01-01T12:00:00.000Z');
  const over = new Date(begun + 60_000);
  await api.sql`insert into voyage (id, organization_id, cluster_id, requested_by_kind, requested_by_id, requested_by_name, state, created_at, finished_at, archived_at)
    values (${id}, ${organizationId}, ${clusterId}, 'user', 'u', 'Ada', 'sunk', ${new Date(begun)}, ${over}, ${over})`;
  const page = { actorId: `voyage/${id}`, runId: String(runId), page: 0, organizationId };
  await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes: history(begun) });
  const get = (path: string, as = tokens.deployer) => as.get(`/workflows${path}`);

  const { body } = await get('?outcome=failed');
  expect(body.items).toMatchObject([
    { title: 'Voyage of The Beagle', stateTitle: 'Sunk', tone: 'fault', outcome: 'failed', subjectKind: 'cluster' },
  ]);
  expect((await get(`/${id}`, tokens.viewer)).status).toBe(404);
  const shown = (await get(`/${id}`)).body;
  expect(shown).toMatchObject({
    about: 'Sails to the Galapagos.',
    stages: [
      { title: 'Load', outcome: 'done', tone: 'good', durationMs: 20_000 },
      { title: 'Sail', outcome: 'failed', tone: 'fault', durationMs: 30_000 },
    ],
  });
  const { items } = (await get(`/${id}/history`)).body as { items: Record<string, unknown>[] };
  expect(items.map(({ title, tone, stateTitle, sinceStartMs }) => [title, tone, stateTitle, sinceStartMs])).toEqual([
    ['Started', 'neutral', undefined, 0],
    ['Put to sea', 'neutral', 'At sea', 10_000],
    ['A storm came', 'fault', 'Sunk', 30_000],
    ['Ended: the ship sank', 'fault', 'Sunk', 60_000],
  ]);
  // The console renders these answers in web/pages/workflows/new-kind.test.ts.
  const kept = await readFile(new URL('../../test/actors/new-kind.json', import.meta.url), 'utf8');
  expect({ workflow: withoutSchema(shown), steps: items }).toEqual(JSON.parse(kept));
});

function withoutSchema({ $schema: _, ...answer }: Record<string, unknown>): Record<string, unknown> {
  return answer;
}
