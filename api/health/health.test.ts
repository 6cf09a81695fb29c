import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { beat } from '../../db/engine/processes/processes.ts';
import { until } from '../../test/ground/until.ts';
import { type Call, runningApi } from '../../test/installation/running-api.ts';

const directory = mkdtempSync(join(tmpdir(), 'ballast-metrics-'));
const tokenFile = join(directory, 'metrics-token');
const asOperator = async (): Promise<Call> => ({
  headers: { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` },
});

const api = await runningApi({ env: { METRICS_TOKEN_FILE: tokenFile } });
const ours = await api.organization();
afterAll(async () => {
  await api.close();
  rmSync(directory, { recursive: true });
});

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
    ['database', 'disk', 'feed', 'keys', 'outbox', 'schema', 'temporal', 'worker'].toSorted(),
  );
});

test('/readyz is not ready while the database takes no changes', async () => {
  const database = async (ready: boolean) =>
    until(`the database is ${ready ? '' : 'not '}ready`, async () => {
      const { body } = await api.call('GET', '/readyz');
      const { database: part } = body.parts as { database: { ready: boolean; detail?: string } };
      return part.ready === ready && part;
    });
  // As PostgreSQL fails when its disk is full.
  await api.sql`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
  await api.sql`create trigger full_disk before insert on rate_permit execute function full_disk()`;
  expect((await database(false)).detail).toContain('takes no changes');
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  await api.sql`drop trigger full_disk on rate_permit`;
  await database(true);
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
  await api.rows.add('outbox', row);
  const seen = await until('it is seen', async () => {
    const answered = await api.call('GET', '/readyz');
    return answered.text.includes(row.actor_id) && answered;
  });
  expect(seen.body.poisoned).toMatchObject([{ actorId: row.actor_id, attempts: 12 }]);
  expect(seen.text).not.toContain('hunter2');
  expect((await api.call('GET', '/metrics', await asOperator())).text).toMatch(/^ballast_outbox_depth 1$/m);
});

test('/metrics counts requests by operation and status', async () => {
  await ours.tokens.viewer.get('/teams');
  await until('it is counted', async () => {
    const { text } = await api.call('GET', '/metrics', await asOperator());
    return text.includes('ballast_http_request_seconds_count{operation="teams.list",status="200"} 1');
  });
});

test('/metrics is for whoever has the token of the installation, and for nobody else on any machine', async () => {
  const status = async (more: Call) => (await api.call('GET', '/metrics', more)).status;
  // Neither for being on this machine, nor for owning an organization.
  expect(await status({})).toBe(403);
  expect(await status({ as: ours.tokens.admin })).toBe(403);
  expect(await status({ as: ours.sessions.owner })).toBe(403);
  expect(await status({ headers: { authorization: `Bearer ${'x'.repeat(43)}` } })).toBe(403);
  expect(await status(await asOperator())).toBe(200);
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  // Another one counts at once.
  const before = await asOperator();
  await writeFile(tokenFile, `${'y'.repeat(43)}\n`);
  expect([await status(before), await status(await asOperator())]).toEqual([403, 200]);
});

test('a trusted proxy says where the client is and what the request is called', async () => {
  const proxied = await runningApi({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  const seeded = await proxied.organization();
  const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7', 'x-request-id': 'from-the-proxy' };
  const made = await proxied.call('POST', '/api/v1/teams', { as: seeded.tokens.admin, body: { name: 'Far' }, headers });
  expect(made.headers.get('x-request-id')).toBe('from-the-proxy');
  const { body } = await seeded.tokens.admin.get('/audit-log?action=team.created');
  expect(body.items).toMatchObject([{ ip: '198.51.100.7', requestId: 'from-the-proxy' }]);
  await proxied.close();
});
