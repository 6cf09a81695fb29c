import { sql } from 'kysely';
import { type Batch, inBatches, type Pace } from '../engine/delete-in-batches.ts';
import type { Database } from '../postgres/database.ts';

/** So long it can be read what was sent to a channel. */
export const deliveriesKeptDays = 30;
/** A transaction that deletes more holds up the feed. */
const mostAtOnce = 2_000;

const kinds = [
  ['notification-delivery', 'delivery'],
  ['incident', 'incident'],
] as const;

/** Deletes what was sent long ago, with its histories, and channels that were deleted once nothing tells of them any more. */
export async function sweepDeliveries(database: Database, pace: Pace = {}): Promise<number> {
  let swept = 0;
  for (const [kind, table] of kinds) {
    swept += await inBatches((limit) => sweepSome(database, kind, table, limit), { most: mostAtOnce, ...pace });
  }
  await sql`
    /* across tenants */ delete from notification_channel channel
    where deleted_at < now() - make_interval(days => ${deliveriesKeptDays})
      and not exists (select from delivery where notification_channel_id = channel.id)
      and not exists (select from incident where notification_channel_id = channel.id)
      and not exists (
        select from queued_delivery queued
        where queued.organization_id = channel.organization_id and queued.notification_channel_id = channel.id
      )
  `.execute(database.kysely);
  return swept;
}

/** One whose history is not archived yet is left to the next sweep. */
async function sweepSome(database: Database, kind: string, table: string, limit: number): Promise<Batch> {
  const { rows } = await sql<{ id: string }>`
    with old as materialized (
      select id from ${sql.table(table)}
      where archived_at is not null and finished_at < now() - make_interval(days => ${deliveriesKeptDays})
      order by finished_at limit ${limit} for update skip locked
    ), forgotten as (
      delete from history_archive where actor_id in (select concat(${kind}::text, '/', id) from old)
    )
    delete from ${sql.table(table)} where id in (select id from old) returning id
  `.execute(database.kysely);
  return { found: rows.length, deleted: rows.length, last: null };
}
