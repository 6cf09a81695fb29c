import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { endSessionsOf } from '../../db/sign-in/sessions.ts';
import type { Organization } from '../../test/api/client.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { runningApi } from '../../test/installation/running-api.ts';
import { specifiedClocks } from '../engine/streams/clocks.ts';

let mine: Organization['sessions']['viewer'];
// No check of a stream's credential comes within a test.
const api = await runningApi({ manyClients: true, clocks: { ...specifiedClocks, recheck: 3_600_000 } });
const twin = await api.twin();
const ours = await api.organization();
afterAll(async () => {
  await twin.close();
  await api.close();
});
beforeEach(async () => {
  mine = await ours.session('viewer');
});

const who = (as = mine) => as.get('/auth/session');
const stream = (at = api, as = mine) => readStream(at, '/api/v1/events/stream', as);
const kysely = () => api.database.kysely;
const closed = (opened: { ended(): boolean }) => until('the stream is closed', async () => opened.ended());
const over = [403, 'The session has ended; sign in again.'];

describe('ending', () => {
  test('one of the own counts on the next request, and closes its streams in every process', async () => {
    const elsewhere = await ours.session('viewer', mine.userId);
    const opened = [await stream(api, elsewhere), await stream(twin, elsewhere)];
    const kept = await stream();
    expect((await api.as(mine).delete(`/auth/sessions/${elsewhere.id}`)).status).toBe(204);
    const { status, body } = await who(elsewhere);
    expect([status, body.detail]).toEqual(over);
    for (const one of opened) await closed(one);
    expect(kept.ended()).toBe(false);
    kept.stop();
    expect((await who()).body.sessions).toEqual([expect.objectContaining({ id: mine.id, current: true })]);
    expect((await api.as(mine).delete(`/auth/sessions/${elsewhere.id}`)).status).toBe(404);
  });

  test('one of somebody else does nothing, as if there were none', async () => {
    const { id } = ours.sessions.owner;
    const refused = await api.as(mine).delete(`/auth/sessions/${id}`);
    const unknown = await api.as(mine).delete(`/auth/sessions/${crypto.randomUUID()}`);
    expect([refused.status, refused.body.detail]).toEqual([404, unknown.body.detail]);
    expect((await who(ours.sessions.owner)).status).toBe(200);
  });

  test('all of a person, and nobody else’s', async () => {
    const second = await ours.session('viewer', mine.userId);
    const opened = await stream();
    expect(await api.effect((running) => endSessionsOf(running, mine.userId))).toBe(2);
    for (const one of [mine, second]) expect((await who(one)).status).toBe(403);
    await closed(opened);
    expect((await who(ours.sessions.owner)).status).toBe(200);
  });

  test('signing out ends the one that asks', async () => {
    const opened = await stream(twin);
    const out = await api.as(mine).post('/auth/sign-out');
    expect(out.body.endSessionUrl).toBe('http://localhost:8088/signed-out');
    expect((await who()).status).toBe(403);
    await closed(opened);
  });

  test('is nothing for tokens', async () => {
    for (const [method, path] of [
      ['GET', 'session'],
      ['POST', 'sign-out'],
      ['DELETE', `sessions/${mine.id}`],
    ] as const) {
      const { status, body } = await ours.tokens.admin.call(method, `/auth/${path}`);
      expect([status, body.detail]).toEqual([403, 'An API token has no session; sign in to see or end one.']);
    }
  });
});

describe('time', () => {
  test.each([
    ['its lifetime', 'expires_at'],
    ['its patience with an idle user', 'idle_expires_at'],
  ] as const)('%s is over: on the next request, and for an open stream at that moment', async (_, column) => {
    const end = sql`now() + interval '1500 milliseconds'`;
    await api.rows.set('session', { id: mine.id }, { [column]: end });
    const opened = await stream(twin);
    expect(opened.ended()).toBe(false);
    await closed(opened);
    const { left } = await kysely()
      .selectFrom('session')
      .select(sql<number>`extract(epoch from ${sql.ref(column)} - now())::float8`.as('left'))
      .where('id', '=', mine.id)
      .executeTakeFirstOrThrow();
    expect(left).toBeLessThanOrEqual(0);
    expect(left).toBeGreaterThan(-2);
    const { status, body } = await who();
    expect([status, body.detail]).toEqual(over);
  });

  test('a token’s is over for an open stream at that moment, too', async () => {
    const { id } = ours.tokens.deployer;
    await api.sql`update api_token set expires_at = now() - interval '1 second' + interval '1 second' where id = ${id}`;
    const opened = await readStream(api, '/api/v1/events/stream', ours.tokens.deployer);
    await closed(opened);
  });

  test('a use before the end puts the idle end off, without a write for each request', async () => {
    const idle = (seconds: number) =>
      api.sql`update session set idle_seconds = 600, idle_expires_at = now() - interval '1 second' + make_interval(secs => ${seconds})
          where id = ${mine.id}`;
    const left = async () => {
      const rows = await api.sql<{ left: number }>`
        select extract(epoch from idle_expires_at - now())::float8 as left from session where id = ${mine.id}
      `;
      return rows[0]?.left ?? 0;
    };
    await idle(300);
    await who();
    expect(await left()).toBeLessThan(301);
    await idle(60);
    await who();
    await until('the idle end is put off', async () => (await left()) > 400);
  });
});

describe('a second factor', () => {
  test('is wanted where the organization requires it, and of sessions only', async () => {
    await api.rows.set('organization', { id: ours.organizationId }, { require_mfa: true });
    const refused = await api.as(mine).get('/teams');
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('requires a sign-in with a second factor: set one up with your identity provider'),
    ]);
    expect((await ours.tokens.viewer.get('/teams')).status).toBe(200);
    expect((await who()).status).toBe(200);
    await api.rows.set('session', { id: mine.id }, { mfa: true });
    expect((await api.as(mine).get('/teams')).status).toBe(200);
  });
});
