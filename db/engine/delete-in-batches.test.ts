import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { until } from '../../test/ground/until.ts';
import { openDatabase } from '../postgres/database.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { appendToFeed } from './feed/feed.ts';
import { FeedListener } from './feed/feed-listener.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());
afterEach(() => fresh.database.kysely.deleteFrom('idempotent_answer').execute());

const table = 'idempotent_answer';
const where = sql`created_at < now() - interval '1 day'`;
const along = sql.ref('created_at');
const at = async (): Promise<void> => undefined;

/** So many answers, a second apart, the youngest of them of this moment less so many seconds. */
async function answers(count: number, youngestAge: number): Promise<void> {
  await sql`
    insert into idempotent_answer (credential_id, operation, key, request_hash, status, created_at)
    select ${uuid()}, 'teams.create', n::text, '\\x00', 200, now() - make_interval(secs => ${youngestAge} + n)
    from generate_series(1, ${count}) n
  `.execute(fresh.database.kysely);
}

async function left(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from idempotent_answer`.execute(
    fresh.database.kysely,
  );
  return rows[0]?.count ?? 0;
}

test('everything that is old goes, in transactions of their own, and nothing else', async () => {
  await answers(2_500, 90_000);
  await answers(10, 0);
  const batches: number[] = [];
  const options = { table, where, along, most: 1_000, pause: at, onBatch: (deleted: number) => batches.push(deleted) };
  expect(await deleteInBatches(fresh.database.kysely, options)).toBe(2_500);
  expect(batches).toEqual([1_000, 1_000, 500]);
  expect(await left()).toBe(10);
  expect(await deleteInBatches(fresh.database.kysely, options)).toBe(0);
});

test('rows of one moment go as well, and without a time to go by', async () => {
  const { kysely } = fresh.database;
  await answers(2_500, 90_000);
  await sql`update idempotent_answer set created_at = '2020-01-01'`.execute(kysely);
  expect(await deleteInBatches(kysely, { table, where, along, most: 700, pause: at })).toBe(2_500);
  await answers(2_500, 90_000);
  expect(await deleteInBatches(kysely, { table, where, most: 700, pause: at })).toBe(2_500);
});

test('a row that somebody keeps locked is left to the next sweep, and nobody waits for it', async () => {
  const { database } = fresh;
  await answers(10, 90_000);
  const options = { url: fresh.url, applicationName: 'ballast test', poolMax: 2, lockTimeoutMillis: 50 };
  const sweeping = await openDatabase(options);
  await database.kysely.transaction().execute(async (holding) => {
    await sql`select from idempotent_answer where key = '3' for update`.execute(holding);
    expect(await deleteInBatches(sweeping.kysely, { table, where, along, most: 4, pause: at })).toBe(9);
    // Where nothing may be left it waits, as long as it may.
    const whole = deleteInBatches(sweeping.kysely, { table, where, along, whole: true, pause: at });
    await expect(whole).rejects.toThrow('lock timeout');
  });
  await sweeping.close();
  expect(await left()).toBe(1);
  expect(await deleteInBatches(database.kysely, { table, where, along, whole: true, pause: at })).toBe(1);
});

test('a change that is made during a sweep is told before the sweep is done', async () => {
  const { database } = fresh;
  await answers(3_000, 90_000);
  const heard: string[] = [];
  const listener = new FeedListener({
    database,
    pollMillis: 20,
    onEntries: (entries) => heard.push(...entries.map(({ id }) => id)),
    onResync: () => undefined,
  });
  listener.start();
  await until('the feed is read', async () => listener.state().lastReadAt !== undefined);
  let told = 0;
  const pause = async (): Promise<void> => {
    told += 1;
    await appendToFeed(database.kysely, [{ organizationId: uuid(), kind: 'team', id: `${told}` }]);
    await until('the change is told', async () => heard.includes(`${told}`));
  };
  expect(await deleteInBatches(database.kysely, { table, where, along, most: 1_000, pause })).toBe(3_000);
  expect(told).toBeGreaterThanOrEqual(2);
  await listener.close();
});

test('it stops between two batches when it is asked to', async () => {
  const stopping = new AbortController();
  await answers(3_000, 90_000);
  const onBatch = (): void => stopping.abort();
  const { signal } = stopping;
  expect(await deleteInBatches(fresh.database.kysely, { table, where, along, most: 1_000, signal, onBatch })).toBe(
    1_000,
  );
  expect(await left()).toBe(2_000);
});
