import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

/** Throws away what can be of no use to anybody any more. */
export async function sweepIdentity(kysely: Kysely<Tables>): Promise<Record<string, number>> {
  const swept: Record<string, number> = {};
  for (const table of ['provider_record', 'sign_in_attempt', 'exchanged_token'] as const) {
    const { numDeletedRows } = await kysely
      .deleteFrom(table)
      .where('expires_at', '<', sql<Date>`now()`)
      .executeTakeFirst();
    swept[table] = Number(numDeletedRows);
  }
  // An attempt that was begun with a link outlives the link by its own ten minutes; it must still know what it may do.
  const { numDeletedRows } = await kysely
    .deleteFrom('sign_in_link')
    .where('expires_at', '<', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirst();
  // What became of a session stands in the audit log; the row is kept a while for those who look at the database itself.
  const ended = await kysely
    .deleteFrom('session')
    .where(sql<Date>`least(ended_at, expires_at, idle_expires_at)`, '<', sql<Date>`now() - interval '30 days'`)
    .executeTakeFirst();
  return { ...swept, sign_in_link: Number(numDeletedRows), session: Number(ended.numDeletedRows) };
}
