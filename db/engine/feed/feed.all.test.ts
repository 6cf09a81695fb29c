import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { missesNothing } from '../../../test/walks/feed-reader.ts';
import { type FeedEntry, feedHead, readFeed } from './feed.ts';

const fresh = await freshDatabase({ poolMax: 20 });
afterAll(() => fresh.drop());

test('a transaction that commits late with a lower position is never missed', () => missesNothing(fresh.database, 150));

test('a hundred thousand entries are read in pages, in order, each once', async () => {
  const { kysely } = fresh.database;
  const organizationId = uuid();
  const { cursor: head, snapshot } = await feedHead(kysely);
  await sql`
    insert into change_feed (organization_id, kind, subject_id, project_id)
    select ${organizationId}, 'team', n::text, ${organizationId} from generate_series(1, 100000) n
  `.execute(kysely);
  const seen: FeedEntry[] = [];
  // Other databases of the same server may hold the feed back for a moment.
  for (let cursor = head; seen.length < 100_000; ) {
    const page = await readFeed(kysely, cursor, 1_000, snapshot);
    seen.push(...page.entries);
    cursor = page.cursor;
  }
  expect(seen.map(({ id }) => Number(id))).toEqual(Array.from({ length: 100_000 }, (_, n) => n + 1));
});
