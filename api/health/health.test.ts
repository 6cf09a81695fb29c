import { afterAll, beforeAll, expect, test } from 'vitest';
import { beat } from '../../db/engine/processes.ts';
import { until } from '../../test/ground/until.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';

let api: RunningApi;
let ours: Seeded;

beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

test('/readyz names each part, and is 503 until all are ready', async () => {
  const without = await api.call('GET', '/readyz');
  expect(without.status).toBe(503);
  expect(without.body).toMatchObject({ ready: false, parts: { database: { ready: true }, worker: { ready: false } } });
  const worker = { id: crypto.randomUUID(), kind: 'worker', version: '0.0.0', state: {} } as const;
  await beat(api.database.kysely, worker);
  const ready = await until('it is ready', async () => {
    const answered = await api.call('GET', '/readyz');
    return answered.status === 200 && answered;
  });
  expect(Object.keys(ready.body.parts ?? {}).toSorted()).toEqual(
    ['database', 'feed', 'keys', 'outbox', 'schema', 'temporal', 'worker'].toSorted(),
  );
});

test('/readyz names a poisoned entry without saying what it holds', async () => {
  const row = {
    actor_id: `deletion/${crypto.randomUUID()}`,
    organization_id: ours.organizationId,
    kind: 'start',
    body: { secret: 'hunter2' },
    author: {},
    attempts: 12,
    last_error: 'hunter2',
  } as const;
  await api.database.kysely.insertInto('outbox').values(row).execute();
  const seen = await until('it is seen', async () => {
    const answered = await api.call('GET', '/readyz');
    return answered.text.includes(row.actor_id) && answered;
  });
  expect(seen.body.poisoned).toMatchObject([{ actorId: row.actor_id, attempts: 12 }]);
  expect(seen.text).not.toContain('hunter2');
  expect((await api.call('GET', '/metrics')).text).toMatch(/^ballast_outbox_depth 1$/m);
});

test('/metrics counts requests by operation and status', async () => {
  await api.call('GET', '/api/v1/teams', { as: ours.tokens.viewer });
  await until('it is counted', async () => {
    const { text } = await api.call('GET', '/metrics');
    return text.includes('ballast_http_request_seconds_count{operation="teams.list",status="200"} 1');
  });
});

test('/metrics is for this machine, or for the token of an administrator', async () => {
  const proxied = await runningApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const seeded = await seed(proxied.database);
  const remote = { 'x-forwarded-for': '198.51.100.7' };
  const status = async (as: Seeded['tokens']['admin'] | undefined, headers: Record<string, string>, at = proxied) =>
    (await at.call('GET', '/metrics', { ...(as === undefined ? {} : { as }), headers })).status;
  expect(await status(undefined, {})).toBe(200);
  expect(await status(undefined, remote)).toBe(403);
  expect(await status(undefined, { 'x-forwarded-for': '127.0.0.1, 198.51.100.7' })).toBe(403);
  expect(await status(seeded.tokens.viewer, remote)).toBe(403);
  expect(await status(seeded.tokens.admin, remote)).toBe(200);
  // A proxy on this machine that nobody has declared: what it forwards does not come from here.
  expect(await status(undefined, remote, api)).toBe(403);
  await proxied.close();
});

test('a trusted proxy says where the client is and what the request is called', async () => {
  const proxied = await runningApi({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  const seeded = await seed(proxied.database);
  const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7', 'x-request-id': 'from-the-proxy' };
  const made = await proxied.call('POST', '/api/v1/teams', { as: seeded.tokens.admin, body: { name: 'Far' }, headers });
  expect(made.headers.get('x-request-id')).toBe('from-the-proxy');
  const { body } = await proxied.call('GET', '/api/v1/audit-log?action=team.created', { as: seeded.tokens.admin });
  expect(body.items).toMatchObject([{ ip: '198.51.100.7', requestId: 'from-the-proxy' }]);
  await proxied.close();
});
