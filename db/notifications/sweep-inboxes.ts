import { type Kysely, sql } from 'kysely';
import { keptDays, mostKept } from '../../domain/notifications/notifications.ts';
import { type Batch, inBatches, type Pace } from '../engine/delete-in-batches.ts';
import { type Author, effect } from '../engine/effect.ts';
import type { Database } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';

const author: Author = { kind: 'machine', id: 'sweeper', name: 'sweeper' };
/** A transaction that deletes more holds up the feed. */
const mostAtOnce = 2_000;

/**
 * Deletes entries that are too old, and of each inbox all but the newest, read or not. People whose unread entries went are
 * told. Answers how many it deleted.
 */
export async function sweepInboxes(database: Database, pace: Pace = {}): Promise<number> {
  return await inBatches((limit, from) => sweepSome(database, limit, from), { most: mostAtOnce, ...pace });
}

async function sweepSome(database: Database, limit: number, from: string | null): Promise<Batch> {
  const old = await oldEntries(database.kysely, limit, from);
  const last = old.at(-1);
  if (last === undefined) return { found: 0, deleted: 0, last: from };
  const deleted = await effect(database, author, async (sweeping) => {
    // One that its person reads right now is left to the next sweep.
    const { rows } = await sql<{ organizationId: string; userId: string; unread: boolean }>`
      with entry as materialized (
        /* across tenants */ select id from notification where id = any(${old.map(({ id }) => id)}::uuid[])
        for update skip locked)
      delete from notification using entry where notification.id = entry.id
      returning organization_id as "organizationId", user_id as "userId", read_at is null as unread
    `.execute(sweeping.kysely);
    const unread = new Map(rows.flatMap((row) => (row.unread ? [[`${row.organizationId} ${row.userId}`, row]] : [])));
    for (const { organizationId, userId } of unread.values()) {
      sweeping.change({ organizationId, kind: 'notification', id: userId });
    }
    return rows.length;
  });
  return { found: old.length, deleted, last: `${last.organizationId} ${last.userId}` };
}

/** Inbox by inbox, by the index of their pages: what is to be deleted of each stands at its beginning. */
async function oldEntries(kysely: Kysely<Tables>, limit: number, from: string | null) {
  const [organizationId, userId] = from?.split(' ') ?? [];
  const { rows } = await sql<{ id: string; organizationId: string; userId: string }>`
    select old.id, inbox.organization_id as "organizationId", inbox.user_id as "userId"
    from membership inbox
    left join lateral (
      select created_at, id from notification
      where organization_id = inbox.organization_id and user_id = inbox.user_id
      order by created_at desc, id desc offset ${mostKept} limit 1
    ) as newest_too_many on true
    cross join lateral (
      select id from notification
      where organization_id = inbox.organization_id and user_id = inbox.user_id
        and created_at <= greatest(newest_too_many.created_at, now() - make_interval(days => ${keptDays}))
        and (created_at < now() - make_interval(days => ${keptDays})
          or (created_at, id) <= (newest_too_many.created_at, newest_too_many.id))
      order by created_at, id limit ${limit}
    ) as old
    ${from === null ? sql`` : sql`where (inbox.organization_id, inbox.user_id) >= (${organizationId}::uuid, ${userId}::uuid)`}
    order by inbox.organization_id, inbox.user_id limit ${limit}
  `.execute(kysely);
  return rows;
}
