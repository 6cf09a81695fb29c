import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { openDatabase } from '../../postgres/database.ts';
import { acquireStream, releaseStream, releaseStreamsOf, renewStreams, sweepLeases, takePermits } from './leases.ts';

const fresh = await freshDatabase();
const second = await openDatabase({ url: fresh.url, applicationName: 'second', poolMax: 10 });
afterAll(async () => {
  await second.close();
  await fresh.drop();
});
beforeEach(() => sql`truncate stream_lease, rate_permit`.execute(fresh.database.kysely));

const request = { credential: 'token-1', kind: 'organization', limit: 8 };

test('of fifty that ask two processes at once, exactly as many as the limit get a stream', async () => {
  const asked = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      acquireStream((n % 2 === 0 ? fresh.database : second).kysely, { ...request, holder: `api-${n % 2}` }),
    ),
  );
  expect(asked.filter((lease) => lease !== undefined)).toHaveLength(8);
});

test('credentials and kinds are counted apart, and a released or expired slot is free', async () => {
  const { kysely } = fresh.database;
  const one = { ...request, limit: 1, holder: 'api' };
  const lease = await acquireStream(kysely, one);
  expect(lease).toBeDefined();
  expect(await acquireStream(kysely, one)).toBeUndefined();
  expect(await acquireStream(kysely, { ...one, kind: 'other' })).toBeDefined();
  expect(await acquireStream(kysely, { ...one, credential: 'token-2' })).toBeDefined();
  await releaseStream(kysely, lease ?? '');
  const again = await acquireStream(kysely, one);
  expect(again).toBeDefined();
  await sql`update stream_lease set expires_at = now() - interval '1 second'`.execute(kysely);
  const successor = await acquireStream(kysely, one);
  expect(successor).toBeDefined();
  // The one that lost its slot cannot renew it, and cannot release its successor.
  expect(await renewStreams(kysely, [again ?? '', successor ?? ''])).toEqual(new Set([successor]));
  await releaseStream(kysely, again ?? '');
  expect(await acquireStream(kysely, one)).toBeUndefined();
  await releaseStreamsOf(kysely, 'api');
  expect(await acquireStream(kysely, one)).toBeDefined();
  expect(await acquireStream(kysely, { ...one, limit: 0, credential: 'none' })).toBeUndefined();
});

test('the sweep takes what has expired and leaves the rest', async () => {
  const { kysely } = fresh.database;
  await acquireStream(kysely, { ...request, holder: 'api' });
  await acquireStream(kysely, { ...request, kind: 'other', holder: 'api' });
  await takePermits(kysely, { key: 'a', limitPerMinute: 10, chunk: 1 });
  await sql`update stream_lease set expires_at = now() - interval '1 second' - interval '1 second' where kind = 'other'`.execute(
    kysely,
  );
  await sql`insert into rate_permit values ('old', now() - interval '5 minutes', 1, 1)`.execute(kysely);
  await sweepLeases(kysely);
  const { rows } = await sql`
    select (select array_agg(kind) from stream_lease) as leases, (select array_agg(key) from rate_permit) as permits
  `.execute(kysely);
  expect(rows).toEqual([{ leases: ['organization'], permits: ['a'] }]);
});

test('permits taken by two processes at once never exceed the limit of their minute', async () => {
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      takePermits((n % 2 === 0 ? fresh.database : second).kysely, { key: 'ip', limitPerMinute: 100, chunk: 7 }),
    ),
  );
  const { rows } = await sql<{ windows: number; taken: number }>`
    select count(*)::int as windows, sum(taken)::int as taken from rate_permit
  `.execute(fresh.database.kysely);
  const granted = taken.reduce((sum, permits) => sum + permits.granted, 0);
  // The minute may have ended in between: then there were two.
  expect(granted).toBe(rows[0]?.taken);
  expect(granted).toBe(100 * (rows[0]?.windows ?? 0) - (granted % 100 === 0 ? 0 : 100 - (granted % 100)));
  for (const { secondsLeft } of taken) expect(secondsLeft).toBeLessThanOrEqual(60);
});

test('the last chunk is what is left, then nothing', async () => {
  const { kysely } = fresh.database;
  const take = () => takePermits(kysely, { key: 'few', limitPerMinute: 10, chunk: 6 });
  let grants: number[];
  do {
    await sql`truncate rate_permit`.execute(kysely);
    grants = [(await take()).granted, (await take()).granted, (await take()).granted];
    // Until all three fall into one minute.
  } while (Number((await sql`select 1 from rate_permit`.execute(kysely)).rows.length) !== 1);
  expect(grants).toEqual([6, 4, 0]);
});
