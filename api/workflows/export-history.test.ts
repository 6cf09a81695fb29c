import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { historyFromText } from '../../temporal/history/history-text.ts';
import { installSdkOnce, serve } from '../../test/actors/actors.ts';
import { recordedHistory } from '../../test/actors/recorded-history.ts';
import { bundleCache } from '../../test/ground/bundle-cache.ts';
import { groundTemporal } from '../../test/ground/ground-temporal.ts';
import { until } from '../../test/ground/until.ts';
import { runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { workflowBundle } from '../../worker/host/bundle.ts';

const namespace = `export-${uuid()}`;

const api = await runningApi({ namespace });
await prepareNamespace(api.temporal);
await installSdkOnce();
const { database, keyring, temporal } = api;
const log = pino({ level: 'silent' });
const ground = { database, keyring, keys: payloadKeys(keyring), temporal, log };
const stopServing = await serve(await groundTemporal(namespace), ground);
const ours = await seed(database);
afterAll(async () => {
  await stopServing();
  await api.close();
});

const asked = (id: string, as: Seeded['tokens']['admin'] = ours.tokens.admin, query = '', headers = {}) =>
  api.call('POST', `/api/v1/workflows/${id}/export${query}`, { as, headers });
const replays = async (text: string) =>
  await Worker.runReplayHistory(
    { workflowBundle: await workflowBundle({ cache: bundleCache }) },
    historyFromText(text),
    'exported',
  );

test('a running workflow is exported as a file that replays with the code of today, and the audit log says so', async () => {
  const made = await api.as(ours.tokens.admin).post('/clusters', { name: 'Exported' });
  const { id } = made.body.cluster as { id: string };
  await until('it is started', async () => {
    const { body } = await api.as(ours.tokens.admin).get(`/workflows/${id}`);
    return body.runs === 1;
  });
  await api.temporal.client.workflow
    .getHandle(actorId('cluster', id))
    .signal('connected', { id: 'c', body: { version: '0.1.0' } });
  await until('it is ready', async () => {
    const { body } = await api.as(ours.tokens.admin).get(`/workflows/${id}`);
    return body.state === 'ready';
  });
  const exported = await asked(id);
  expect(exported.status, exported.text).toBe(200);
  // As Temporal's tools write it, decoded, and without the machine.
  expect(exported.body.events).toMatchObject([
    {
      eventId: '1',
      eventTime: expect.stringMatching(/^\d{4}-.*Z$/),
      eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
    },
    ...Array.from({ length: (exported.body.events as object[]).length - 1 }, () => ({})),
  ]);
  expect(exported.text).not.toContain('ballast-encrypted');
  await replays(exported.text);
  // Code that would do something else is noticed.
  await expect(replays(exported.text.replaceAll('"claimActor"', '"otherActor"'))).rejects.toThrow();
  const { body } = await api.as(ours.tokens.admin).get('/audit-log?action=workflow.exported');
  expect(body.items).toMatchObject([{ subject: { kind: 'workflow', id }, details: { run: 1 } }]);
  for (const token of [ours.tokens.viewer, ours.tokens.deployer]) {
    expect((await asked(id, token)).status).toBe(403);
  }
  expect((await asked(id, ours.tokens.admin, '?run=9')).status).toBe(404);
});

test('an archived workflow replays, too; one whose archive was altered is refused', async () => {
  const id = uuid();
  const { organizationId } = ours;
  const over = { state: 'deleted', finished_at: new Date(), archived_at: new Date() } as const;
  await api.rows.add('cluster', { id, organization_id: organizationId, name: 'Gone', slug: id, ...over });
  const page = { actorId: actorId('cluster', id), runId: uuid(), page: 0, organizationId };
  const bytes = await recordedHistory('cluster-deleted');
  await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes });
  const key = { 'idempotency-key': 'export' };
  const exported = await asked(id, ours.tokens.admin, '', key);
  await replays(exported.text);
  const again = await asked(id, ours.tokens.admin, '', key);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([exported.text, 'true']);
  const { body } = await api.as(ours.tokens.admin).get('/audit-log?action=workflow.exported');
  expect((body.items as { subject: object }[]).map(({ subject }) => subject)).toMatchObject([{ id }, {}]);
  await api.rows.set('history_archive', { actor_id: page.actorId }, { page: 1 });
  expect((await asked(id)).status).toBe(409);
});
