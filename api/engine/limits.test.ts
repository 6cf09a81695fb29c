import { connect } from 'node:net';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { acrossTenants, tenant } from '../../db/postgres/tenant.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { proxyTo } from '../../test/ground/proxy.ts';
import { inOneMinute, until } from '../../test/ground/until.ts';
import { headersOf, runningApi } from '../../test/installation/running-api.ts';
import { operations } from '../operations.ts';
import { operation } from './operation.ts';

const common = { scope: 'organization', role: 'viewer', projectTokens: 'allowed', problems: [] } as const;

const readSlowly = operation({
  ...common,
  method: 'GET',
  url: '/api/v1/trial/slow',
  summary: 'Takes a minute',
  async handle({ database }) {
    await sql`select pg_sleep(60)`.execute(database.kysely);
  },
});

const changeSlowly = operation({
  ...common,
  method: 'POST',
  url: '/api/v1/trial/slow',
  summary: 'Makes a team and takes longer than it may',
  async handle({ caller, effect, signal }) {
    const team = { id: crypto.randomUUID(), name: 'Too late', slug: 'too-late' };
    await tenant(effect.kysely, caller.organization.id).insertInto('team').values(team).execute();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  },
});

const fail = operation({
  ...common,
  method: 'GET',
  url: '/api/v1/trial/defect',
  summary: 'Fails',
  async handle() {
    throw new Error('the password is hunter2');
  },
});

const keepSecret = operation({
  ...common,
  method: 'POST',
  url: '/api/v1/trial/secret',
  summary: 'Takes a secret',
  body: z.strictObject({
    secret: z.string().min(20).meta({ writeOnly: true }),
    plain: z.string().min(20),
    nested: z.strictObject({ key: z.string().meta({ writeOnly: true }) }).optional(),
  }),
  async handle() {},
});

const trial = { readSlowly, changeSlowly, fail, keepSecret };

const { api, ours } = await ownApi({ env: { REQUEST_TIMEOUT: '500ms' }, operations: { ...operations, trial } });

const as = () => ours.tokens.admin;

test('a read that takes too long is 504, and the database stops working on it', async () => {
  expect((await as().get('/trial/slow')).status).toBe(504);
  await until('the statement is cancelled', async () => {
    const rows = await api.sql`select from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active'
      and pid <> pg_backend_pid() and datname = current_database()`;
    return rows.length === 0;
  });
});

test('a change that takes too long is 504 and did not happen', async () => {
  expect((await as().post('/trial/slow')).status).toBe(504);
  const teams = await api.rows.all('team', { name: 'Too late' });
  expect(teams).toEqual([]);
});

test('a change that waits for a lock too long is 504', async () => {
  const { body: team } = await as().post('/teams', { name: 'Locked' });
  await api.database.kysely.transaction().execute(async (holding) => {
    await acrossTenants(holding).selectFrom('team').selectAll().where('id', '=', String(team.id)).forUpdate().execute();
    const path = `/teams/${team.id}`;
    expect((await as().patch(path, { name: 'Free' })).status).toBe(504);
  });
});

test('a client that leaves is logged as 499', async () => {
  const headers = Object.entries(headersOf('GET', { as: as() })).map(([name, value]) => `${name}: ${value}`);
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(['GET /api/v1/trial/slow HTTP/1.1', 'host: localhost', ...headers, '', ''].join('\r\n'));
  await until('it is at work', async () => {
    const rows = await api.sql`select from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active'
      and pid <> pg_backend_pid() and datname = current_database()`;
    return rows.length > 0;
  });
  socket.destroy();
  await until('the line', async () =>
    api.lines.some((line) => line.operation === 'trial.readSlowly' && line.status === 499),
  );
});

test('a defect is 500 with the request id, and its text stays in the log', async () => {
  const answered = await as().get('/trial/defect');
  expect(answered.status).toBe(500);
  expect(answered.text).toContain(answered.headers.get('x-request-id') ?? 'none');
  expect(answered.text).not.toContain('hunter2');
  expect(api.lines.some((line) => JSON.stringify(line).includes('hunter2'))).toBe(true);
});

test('secrets are not repeated in errors, nor what may hold one, nor unknown fields', async () => {
  const body = { secret: 'short-secret', plain: 'short-plain', nested: 'maybe-secret', sercet: 'misspelt-secret' };
  const answered = await as().post('/trial/secret', body);
  expect(answered.body.errors).toMatchObject([
    { location: 'body.secret' },
    { location: 'body.plain', value: 'short-plain' },
    { location: 'body.nested' },
    { location: 'body.sercet' },
  ]);
  for (const secret of [body.secret, body.nested, body.sercet]) expect(answered.text).not.toContain(secret);
  const whole = await as().post('/trial/secret', '"whole-secret"');
  expect(whole.text).not.toContain('whole-secret');
});

test('the rate limit holds across processes and says when to come back', async () => {
  const limited = await runningApi({ env: { RATE_LIMIT_PER_MINUTE: '40', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '10' } });
  const twin = await limited.twin();
  const seeded = await limited.organization();
  const ask = (index: number, credential = true) =>
    (index % 2 === 0 ? limited : twin).call('GET', '/api/v1/teams', credential ? { as: seeded.tokens.viewer } : {});
  await inOneMinute(async () => {
    const anonymous = await Promise.all(Array.from({ length: 16 }, (_, index) => ask(index, false)));
    expect(anonymous.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(403), ...Array(6).fill(429)]);
    // A credential has a limit of its own, less what a process took and did not spend.
    const known = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(index)));
    const served = known.filter(({ status }) => status === 200).length;
    expect([38, 39, 40]).toContain(served);
    const refused = known.find(({ status }) => status === 429);
    expect(refused?.headers.get('content-type')).toBe('application/problem+json');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(known.find(({ status }) => status === 200)?.headers.get('ratelimit-policy')).toBe('"credential";q=40;w=60');
    // Another one at the same address has all of its own, even while a stranger there guesses.
    const other = () => limited.as(seeded.tokens.admin).get('/teams');
    expect((await other()).status).toBe(200);
    const guess = (index: number) => ({ authorization: `Bearer svc_${index}_${'x'.repeat(20)}` });
    const guessed = await Promise.all(
      Array.from({ length: 60 }, (_, index) => limited.call('GET', '/api/v1/teams', { headers: guess(index) })),
    );
    expect(guessed.every(({ status }) => status === 429)).toBe(true);
    expect((await other()).status).toBe(200);
  });
  await twin.close();
  await limited.close();
});

test('one locked table takes the connections of its own requests only, and the API stays ready otherwise', async () => {
  const small = await runningApi({ env: { DATABASE_POOL: '6' } });
  const twin = await small.twin();
  const seeded = await small.organization();
  const teams: Promise<{ status: number }>[] = [];
  await twin.database.kysely.transaction().execute(async (holding) => {
    await sql`lock table team in access exclusive mode`.execute(holding);
    for (let count = 0; count < 20; count += 1) {
      teams.push(small.as(seeded.tokens.viewer).get('/teams'));
    }
    // Not asked in that transaction, which goes on seeing the processes of its first look.
    await until('one waits for the lock', async () => (await lockWaiters(twin.database)) > 0);
    for (const path of ['/api/v1/organizations', '/api/v1/audit-log']) {
      expect((await small.call('GET', path, { as: seeded.tokens.admin })).status).toBe(200);
    }
    const ready = await small.call('GET', '/readyz');
    expect(ready.body.parts).toMatchObject({ database: { ready: true } });
  });
  expect((await Promise.all(teams)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  await twin.close();
  await small.close();
});

test('while the database is away: 503 with Retry-After, what needs none is served, and it heals by itself', async () => {
  const proxy = await proxyTo(new URL(inject('ground').postgres).host);
  const away = await runningApi({ databaseAt: proxy.address });
  const seeded = await away.organization();
  await proxy.cut();
  const refused = await until('503', async () => {
    const answered = await seeded.tokens.viewer.get('/teams');
    return answered.status === 503 && answered;
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await away.call('GET', '/api/v1/version')).status).toBe(200);
  const notReady = await away.call('GET', '/readyz');
  expect([notReady.status, notReady.body.ready]).toEqual([503, false]);
  expect((await away.call('GET', '/healthz')).status).toBe(200);
  await proxy.restore();
  await until('200', async () => (await seeded.tokens.viewer.get('/teams')).status === 200);
  expect(away.lines.every(({ problem }) => problem !== 'defect')).toBe(true);
  await away.close();
  await proxy.close();
});
