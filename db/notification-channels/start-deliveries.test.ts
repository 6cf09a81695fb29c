import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { effect } from '../engine/effect.ts';
import { mostUnderWay, startDeliveries, startForgottenDeliveries } from './tell-channels.ts';

let organizationId: string;
let channelId: string;
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(async () => {
  organizationId = await seedOrganization(fresh.database);
  channelId = uuid();
  await tenantRow(fresh.database, 'notification_channel', organizationId, { id: channelId });
});

const queue = (many: number) =>
  sql`insert into queued_delivery (id, organization_id, notification_channel_id, occasion, kind, title, body, link, created_at)
    select gen_random_uuid(), ${organizationId}, ${channelId}, n::text, 'failure', n::text, '', '{}', now() + n * interval '1 second'
    from generate_series(1, ${many}) as n`.execute(fresh.database.kysely);
const start = () => effect(fresh.database, machine, (starting) => startDeliveries(starting, organizationId, channelId));
const underWay = async () => {
  const { rows } = await sql<{ title: string }>`
    select title from delivery where notification_channel_id = ${channelId} and finished_at is null order by created_at`.execute(
    fresh.database.kysely,
  );
  return rows.map(({ title }) => Number(title));
};
const end = (many: number) =>
  sql`update delivery set finished_at = now(), state = 'delivered' where id in (
    select id from delivery where notification_channel_id = ${channelId} and finished_at is null order by created_at limit ${many})`.execute(
    fresh.database.kysely,
  );

test('of a channel so many are under way at a time, the oldest first; each that ends makes room for one', async () => {
  await queue(mostUnderWay + 50);
  expect(await start()).toBe(mostUnderWay);
  expect(await start()).toBe(0);
  expect(await underWay()).toEqual(Array.from({ length: mostUnderWay }, (_, index) => index + 1));
  await end(3);
  expect(await start()).toBe(3);
  expect((await underWay()).slice(-3)).toEqual([1, 2, 3].map((more) => mostUnderWay + more));
  const { rows } = await sql<{ starts: number }>`
    select count(*)::int as starts from outbox where organization_id = ${organizationId} and kind = 'start'`.execute(
    fresh.database.kysely,
  );
  expect(rows).toEqual([{ starts: mostUnderWay + 3 }]);
});

test('those that nobody has started are found, and started once by two who look at the same time', async () => {
  await queue(30);
  const started = await Promise.all([1, 2].map(() => startForgottenDeliveries(fresh.database)));
  expect(started[0] ?? 0).toBeLessThanOrEqual(30);
  expect(started.reduce((sum, some) => sum + some, 0)).toBe(30);
  expect(await underWay()).toHaveLength(30);
  expect(await startForgottenDeliveries(fresh.database)).toBe(0);
});
