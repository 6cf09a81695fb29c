import { type Kysely, sql } from 'kysely';
import type { NotificationKind, NotificationLink } from '../../domain/notifications/notifications.ts';
import type { Effect } from '../engine/effect.ts';
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

/** Newest first. */
export async function listNotifications(
  kysely: Kysely<Tables>,
  { organizationId, userId }: Inbox,
  page: { limit: number; after?: { createdAt: Date; id: string } | undefined; unread: boolean },
): Promise<NotificationView[]> {
  let query = tenant(kysely, organizationId)
    .selectFrom('notification')
    .select(['id', 'kind', 'title', 'body', 'link', 'created_at as createdAt', 'read_at as readAt'])
    .where('user_id', '=', userId);
  if (page.unread) query = query.where('read_at', 'is', null);
  if (page.after !== undefined) {
    const { createdAt, id } = page.after;
    query = query.where(sql<boolean>`((created_at, id) < (${createdAt}, ${id}::uuid))`);
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).execute();
  return rows.map((row) => ({ ...row, link: row.link as unknown as NotificationLink }));
}

export async function countUnread(kysely: Kysely<Tables>, { organizationId, userId }: Inbox): Promise<number> {
  const { count } = await tenant(kysely, organizationId)
    .selectFrom('notification')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
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
