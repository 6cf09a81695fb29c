import { type Kysely, sql } from 'kysely';
import { mostKept, type NotificationKind, type NotificationLink } from '../../domain/notifications/notifications.ts';
import type { Effect } from '../engine/effect.ts';
import { plannedEachTime } from '../postgres/hot-statements.ts';
import type { Page } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

export interface NotificationView {
  id: string;
  kind: NotificationKind;
  title: string;
  body: string;
  link: NotificationLink;
  createdAt: Date;
  readAt: Date | null;
}

/** The inbox of one member. */
export interface Inbox {
  organizationId: string;
  userId: string;
}

/** A page, newest first, and how much is unread on all. In one statement: after an event many consoles ask at once. */
export async function readInbox(
  kysely: Kysely<Tables>,
  inbox: Inbox,
  { limit, after, unread }: Page & { unread: boolean },
): Promise<{ entries: NotificationView[]; unreadCount: number }> {
  const { organizationId, userId } = inbox;
  const { rows } = await sql<{ unreadCount: number } & (NotificationView | { id: null })>`${sql.raw(plannedEachTime)}
    select unread.count as "unreadCount", entry.* from (${unreadOf(inbox)}) as unread
    left join lateral (
      select id, kind, title, body, link, created_at as "createdAt", read_at as "readAt"
      from notification
      where organization_id = ${organizationId} and user_id = ${userId}
        ${unread ? sql`and read_at is null` : sql``}
        ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id}::uuid)`}
      order by created_at desc, id desc limit ${limit}
    ) as entry on true
    order by "createdAt" desc, id desc
  `.execute(kysely);
  const entries = rows.flatMap(({ unreadCount: _, ...row }) => (row.id === null ? [] : [row]));
  return { entries, unreadCount: rows[0]?.unreadCount ?? 0 };
}

export async function countUnread(kysely: Kysely<Tables>, inbox: Inbox): Promise<number> {
  const { rows } = await sql<{ count: number }>`${sql.raw(plannedEachTime)} ${unreadOf(inbox)}`.execute(kysely);
  return rows[0]?.count ?? 0;
}

/** No more than an inbox keeps: after a burst there are more until the next sweep, and each would be counted at each hint. */
function unreadOf({ organizationId, userId }: Inbox) {
  return sql`
    select count(*)::int as count from (
      select from notification
      where organization_id = ${organizationId} and user_id = ${userId} and read_at is null
      limit ${mostKept}
    ) as unread`;
}

/** Marks these as read, or all; answers how many were not yet. */
export async function readNotifications(
  effect: Effect,
  { organizationId, userId }: Inbox,
  which: readonly string[] | 'all',
): Promise<number> {
  let update = tenant(effect.kysely, organizationId)
    .updateTable('notification')
    .set({ read_at: sql`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('read_at', 'is', null);
  if (which !== 'all') update = update.where('id', 'in', [...which]);
  const read = await update.returning('id').execute();
  if (read.length > 0) effect.change({ organizationId, kind: 'notification', id: userId });
  return read.length;
}

/**
 * Entries of inboxes and messages of channels stay as long as others do: they say what has happened. Their links lose the ids of what is
 * purged, and lead to the inbox.
 */
export async function forgetLinks({ kysely }: Effect, { organizationId, id }: { organizationId: string; id: string }) {
  for (const table of ['notification', 'queued_delivery', 'delivery', 'incident'] as const) {
    await sql`
      update ${sql.table(table)} set link = jsonb_build_object('type', link -> 'type')
      where organization_id = ${organizationId} and position(${id} in link::text) > 0
    `.execute(kysely);
  }
}
