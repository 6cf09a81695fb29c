import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { mostKept } from '../../domain/notifications/notifications.ts';
import type { Inboxes } from './burst.ts';

/** What a member sees: all that is unread counted, and the ids of the newest fifty. */
export interface Seen {
  unreadCount: number;
  newest: readonly string[];
}

/** A sentence for each person whose inbox is not exactly what it is to be, or who does not see it so. */
export async function wrongInboxes(
  database: Database,
  organizationId: string,
  inboxes: Inboxes,
  seenBy: (userId: string) => Seen | undefined,
): Promise<string[]> {
  const rows = await tenant(database.kysely, organizationId)
    .selectFrom('notification')
    .select(['id', 'user_id', 'occasion'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const byPerson = Map.groupBy(rows, (row) => row.user_id);
  const strangers = [...byPerson.keys()].filter((id) => !inboxes.has(id));
  const wrong = strangers.map((id) => `${id} has notifications and should have none.`);
  for (const [id, expected] of inboxes) {
    const own = byPerson.get(id) ?? [];
    const has = new Set(own.map(({ occasion }) => occasion));
    const missing = [...expected].filter((occasion) => !has.has(occasion));
    const superfluous = own.length - (expected.size - missing.length);
    if (missing.length + superfluous > 0) {
      wrong.push(`${id}: ${missing.length} of ${expected.size} are missing, ${superfluous} are too many.`);
    }
    const seen = seenBy(id);
    const unread = Math.min(expected.size, mostKept);
    if (seen?.unreadCount !== unread) wrong.push(`${id} sees ${seen?.unreadCount} unread of ${unread}.`);
    const newest = own.slice(0, 50).map((row) => row.id);
    if (newest.join() !== seen?.newest.join()) wrong.push(`${id} does not see the newest entries.`);
  }
  return wrong;
}
