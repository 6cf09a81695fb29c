import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { keptDays, mostKept } from '../../domain/notifications/notifications.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { openDatabase } from '../postgres/database.ts';
import { tenant } from '../postgres/tenant.ts';
import { countUnread, type Inbox } from './notifications.ts';
import { sweepInboxes } from './sweep-inboxes.ts';

let organizationId: string;
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(async () => {
  await sql`truncate notification, change_feed`.execute(fresh.database.kysely);
  organizationId = await seedOrganization(fresh.database);
});

const pause = async (): Promise<void> => undefined;
const sweep = () => sweepInboxes(fresh.database, { pause });

async function inbox(of = organizationId): Promise<Inbox> {
  return { organizationId: of, userId: await seedMember(fresh.database, of, 'admin') };
}

/** Entries an hour apart, named by number from the youngest, which is so many days old. */
async function fill({ organizationId, userId }: Inbox, count: number, days = 0, read = false): Promise<void> {
  await sql`
    insert into notification (id, organization_id, user_id, kind, occasion, title, body, link, created_at, read_at)
    select gen_random_uuid(), ${organizationId}, ${userId}, 'warning', gen_random_uuid()::text, n::text, '', '{}',
           now() - make_interval(days => ${days}, hours => n), case when ${read} then now() end
    from generate_series(1, ${count}) n`.execute(fresh.database.kysely);
}

async function titles({ organizationId, userId }: Inbox): Promise<number[]> {
  const rows = await tenant(fresh.database.kysely, organizationId)
    .selectFrom('notification')
    .select('title')
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ title }) => Number(title)).toSorted((a, b) => a - b);
}

/** Those who were told since the test began. */
async function told(): Promise<string[]> {
  const rows = await fresh.database.kysely
    .selectFrom('change_feed')
    .select('subject_id')
    .where('kind', '=', 'notification')
    .execute();
  return rows.map((row) => row.subject_id);
}

test('entries of more than 90 days go, read or not, and whose badge that changes is told', async () => {
  const [unread, read, young] = [await inbox(), await inbox(), await inbox()];
  await fill(unread, 48, keptDays - 1);
  await fill(read, 48, keptDays - 1, true);
  await fill(young, 23, keptDays - 1);
  await sweep();
  expect(await titles(unread)).toHaveLength(23);
  expect(await titles(read)).toHaveLength(23);
  expect(await titles(young)).toHaveLength(23);
  expect(await told()).toEqual([unread.userId]);
  expect(await countUnread(fresh.database.kysely, unread)).toBe(23);
  expect(await sweep()).toBe(0);
});

test('of each inbox the newest thousand stay, whatever other inboxes hold', async () => {
  const one = await inbox();
  const other = { organizationId: await seedOrganization(fresh.database), userId: one.userId };
  await tenant(fresh.database.kysely, other.organizationId)
    .insertInto('membership')
    .values({ user_id: one.userId, role: 'viewer' })
    .execute();
  await fill(one, mostKept + 3);
  await fill(other, mostKept);
  // Nor are more counted until then.
  expect(await countUnread(fresh.database.kysely, one)).toBe(mostKept);
  expect(await sweep()).toBe(3);
  const newest = Array.from({ length: mostKept }, (_, index) => index + 1);
  expect([await titles(one), await titles(other)]).toEqual([newest, newest]);
  expect(await countUnread(fresh.database.kysely, one)).toBe(mostKept);
});

test('entries of one moment are told apart: no more go than have to', async () => {
  const one = await inbox();
  await fill(one, mostKept + 3);
  await sql`update notification set created_at = date_trunc('day', now())`.execute(fresh.database.kysely);
  expect(await sweep()).toBe(3);
});

test('many go in batches, each with its hints', async () => {
  const inboxes = [await inbox(), await inbox(), await inbox()];
  for (const each of inboxes) await fill(each, 700, keptDays);
  const batches: number[] = [];
  await sweepInboxes(fresh.database, { pause, most: 500, onBatch: (deleted) => batches.push(deleted) });
  expect(batches).toEqual([500, 500, 500, 500, 100]);
  expect(new Set(await told())).toEqual(new Set(inboxes.map(({ userId }) => userId)));
  for (const each of inboxes) expect(await titles(each)).toEqual([]);
});

test('an entry that its person reads right now is left to the next sweep, and nobody waits for it', async () => {
  const one = await inbox();
  await fill(one, 3, keptDays);
  const options = { url: fresh.url, applicationName: 'ballast test', poolMax: 2, lockTimeoutMillis: 50 };
  const sweeping = await openDatabase(options);
  try {
    await fresh.database.kysely.transaction().execute(async (reading) => {
      await sql`update notification set read_at = now() where title = '2'`.execute(reading);
      expect(await sweepInboxes(sweeping, { pause })).toBe(2);
    });
  } finally {
    await sweeping.close();
  }
  expect(await titles(one)).toEqual([2]);
  expect(await sweep()).toBe(1);
});
