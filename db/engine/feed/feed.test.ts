import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { missesNothing } from '../../../test/walks/feed-reader.ts';
import { appendToFeed, type FeedCursor, type FeedEntry, feedHead, heldSeconds, readAhead, readFeed } from './feed.ts';
import { maintainFeedPartitions } from './feed-partitions.ts';
import { missedSince } from './replay.ts';

const fresh = await freshDatabase({ poolMax: 20 });
afterAll(() => fresh.drop());

const organizationId = uuid();
const hint = (id: string) => ({ organizationId, kind: 'team' as const, id });

/** Reads until these have been seen: other databases of the same server may hold the feed back for a moment. */
async function readUntil(cursor: FeedCursor, wanted: number, ahead?: string): Promise<FeedEntry[]> {
  const seen: FeedEntry[] = [];
  const { kysely } = fresh.database;
  while (seen.length < wanted) {
    const page = await readFeed(kysely, cursor, 1_000, ahead);
    seen.push(...page.entries);
    cursor = page.cursor;
  }
  return seen;
}

test('a transaction that commits late with a lower position is never missed', () => missesNothing(fresh.database, 8));

test('a reader whose position is of a later database than this one, which was restored, has to read again', async () => {
  const { kysely } = fresh.database;
  const { snapshot } = await feedHead(kysely);
  const at = Date.now() / 1000;
  expect(await missedSince(kysely, organizationId, { snapshot, at: at - 5 })).toMatchObject({ hints: [] });
  const later = snapshot.replaceAll(/\d+/g, (id) => String(Number(id) + 1_000_000));
  expect(await missedSince(kysely, organizationId, { snapshot: later, at: at - 5 })).toBe(undefined);
});

test('what an open transaction holds back is told ahead, and not again when the transaction is over', async () => {
  const { kysely } = fresh.database;
  const { cursor, snapshot: before } = await feedHead(kysely);
  const ids = (entries: FeedEntry[]) => entries.map(({ id }) => id);
  const blocking = await kysely.startTransaction().execute();
  await appendToFeed(blocking, [hint('of the blocker')]);
  await appendToFeed(kysely, [hint('held')]);
  expect((await readFeed(kysely, cursor, 10, before)).entries).toEqual([]);
  expect(await heldSeconds(kysely)).toBeGreaterThan(0);
  const first = await readAhead(kysely, cursor, 10, before);
  expect(ids(first.entries)).toEqual(['held']);
  await appendToFeed(kysely, [hint('later')]);
  const second = await readAhead(kysely, cursor, 10, first.snapshot);
  expect(ids(second.entries)).toEqual(['later']);
  expect((await readAhead(kysely, cursor, 10, second.snapshot)).entries).toEqual([]);
  await blocking.commit().execute();
  await appendToFeed(kysely, [hint('after')]);
  expect(ids(await readUntil(cursor, 2, second.snapshot))).toEqual(['of the blocker', 'after']);
});

test('a look ahead that finds too much says so', async () => {
  const { kysely } = fresh.database;
  const { cursor, snapshot: before } = await feedHead(kysely);
  const blocking = await kysely.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(blocking);
  await appendToFeed(kysely, [hint('one'), hint('two')]);
  expect((await readAhead(kysely, cursor, 2, before)).dropped).toBe(false);
  const { entries, dropped, snapshot } = await readAhead(kysely, cursor, 1, before);
  expect([entries.length, dropped]).toEqual([1, true]);
  expect((await readAhead(kysely, cursor, 1, snapshot)).entries).toEqual([]);
  await blocking.rollback().execute();
});

test('entries of transactions that cannot be yet stall nothing', async () => {
  const { kysely } = fresh.database;
  const { cursor } = await feedHead(kysely);
  await sql`
    insert into change_feed (organization_id, kind, subject_id, transaction_id, at)
    values (${uuid()}, 'team', 'restored', '9000000000000'::xid8, now() - interval '1 hour')
  `.execute(kysely);
  const blocking = await kysely.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(blocking);
  expect(await heldSeconds(kysely)).toBeLessThan(3_000);
  expect((await readAhead(kysely, cursor, 10)).entries.map(({ id }) => id)).not.toContain('restored');
  await blocking.rollback().execute();
  await sql`delete from change_feed where subject_id = 'restored'`.execute(kysely);
});

test('more entries than a page takes are read in pages, in order, each once', async () => {
  const { kysely } = fresh.database;
  const { cursor, snapshot } = await feedHead(kysely);
  await sql`
    insert into change_feed (organization_id, kind, subject_id, project_id)
    select ${organizationId}, 'team', n::text, ${organizationId} from generate_series(1, 3500) n
  `.execute(kysely);
  const seen = await readUntil(cursor, 3_500, snapshot);
  expect(seen.map(({ id }) => Number(id))).toEqual(Array.from({ length: 3_500 }, (_, n) => n + 1));
  expect(seen[0]).toMatchObject({ organizationId, kind: 'team', projectId: organizationId });
});

test('the partitions of the next days are there, old ones go, and a day without one loses nothing', async () => {
  const { database } = fresh;
  const { kysely } = database;
  const partitions = async (): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'change_feed'::regclass order by 1
    `.execute(kysely);
    return rows.map(({ name }) => name);
  };
  await maintainFeedPartitions(database);
  const before = await partitions();
  expect(before.length).toBeGreaterThanOrEqual(4);
  const old = 'change_feed_20200101';
  await sql`create table ${sql.table(old)} partition of change_feed for values from ('2020-01-01') to ('2020-01-02')`.execute(
    kysely,
  );
  const insertAt = (at: string, id: string) =>
    sql`insert into change_feed (organization_id, kind, subject_id, at) values (${organizationId}, 'team', ${id}, ${at})`.execute(
      kysely,
    );
  await insertAt('2020-01-01T10:00:00Z', 'old');
  await insertAt('2020-03-01T10:00:00Z', 'old in default');
  const dayAfterTomorrow = before.filter((name) => name !== 'change_feed_default').at(-1) ?? '';
  await sql`drop table ${sql.table(dayAfterTomorrow)}`.execute(kysely);
  const future = new Date(Date.now() + 2 * 86_400_000).toISOString();
  await insertAt(future, 'in default');
  const result = await maintainFeedPartitions(database);
  expect(result).toEqual({ created: [], dropped: [old] });
  expect(await partitions()).not.toContain(old);
  const { rows } = await sql`select subject_id from change_feed_default`.execute(kysely);
  expect(rows).toEqual([{ subject_id: 'in default' }]);
  await sql`delete from change_feed_default`.execute(kysely);
  const both = await Promise.all([maintainFeedPartitions(database), maintainFeedPartitions(database)]);
  expect(both.flatMap(({ created }) => created)).toEqual([dayAfterTomorrow]);
});
