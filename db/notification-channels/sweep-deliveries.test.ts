import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import { sweepDeliveries } from './sweep-deliveries.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const daysAgo = (days: number) => sql`now() - make_interval(days => ${days})`;
const count = async (table: string) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    fresh.database.kysely,
  );
  return rows[0]?.count;
};

test('what was sent 30 days ago goes with its histories, and a deleted channel once nothing tells of it', async () => {
  const { database } = fresh;
  const organizationId = await seedOrganization(database);
  const channel = async (deleted: number | undefined) => {
    const id = uuid();
    const at = deleted === undefined ? null : daysAgo(deleted);
    await tenantRow(database, 'notification_channel', organizationId, { id, deleted_at: at });
    return id;
  };
  const [living, deleted, deletedToo] = [await channel(undefined), await channel(31), await channel(31)];
  const sent = async (table: 'delivery' | 'incident', of: string, row: Record<string, unknown>) => {
    const id = uuid();
    const own = { id, notification_channel_id: of, occasion: id, subject: id };
    const { subject: _, ...ofDelivery } = own;
    await tenantRow(database, table, organizationId, { ...(table === 'incident' ? own : ofDelivery), ...row });
    const actor = `${table === 'incident' ? 'incident' : 'notification-delivery'}/${id}`;
    await tenantRow(database, 'history_archive', organizationId, { actor_id: actor });
    return actor;
  };
  const over = (days: number) => ({ finished_at: daysAgo(days), archived_at: daysAgo(days) });
  await sent('delivery', living, over(31));
  await sent('delivery', deleted, over(31));
  await sent('incident', living, over(31));
  const kept = [
    await sent('delivery', living, over(29)),
    await sent('delivery', deletedToo, { finished_at: daysAgo(31), archived_at: null }),
    await sent('incident', living, {}),
  ];
  expect(await sweepDeliveries(database)).toBe(3);
  const { rows } = await sql<{ actor: string }>`select actor_id as actor from history_archive`.execute(database.kysely);
  expect(rows.map(({ actor }) => actor).toSorted()).toEqual(kept.toSorted());
  expect([await count('delivery'), await count('incident')]).toEqual([2, 1]);
  const { rows: channels } = await sql<{
    id: string;
  }>`/* across tenants */ select id from notification_channel`.execute(database.kysely);
  expect(channels.map(({ id }) => id).toSorted()).toEqual([living, deletedToo].toSorted());
});
