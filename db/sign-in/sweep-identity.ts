import { type Kysely, sql } from 'kysely';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Tables } from '../postgres/tables.ts';

/** Deletes expired rows of sign-ins, provider records and exchanged tokens, and sessions ended long ago. */
export async function sweepIdentity(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<Record<string, number>> {
  const swept: Record<string, number> = {};
  for (const table of ['provider_record', 'sign_in_attempt', 'exchanged_token'] as const) {
    const where = sql`expires_at < now()`;
    swept[table] = await deleteInBatches(kysely, { table, where, along: sql.ref('expires_at'), signal });
  }
  // An attempt that was begun with a link outlives the link by its own ten minutes; it must still know what it may do.
  swept.sign_in_link = await deleteInBatches(kysely, {
    table: 'sign_in_link',
    where: sql`expires_at < now() - interval '1 day'`,
    signal,
  });
  // The audit log keeps the end of a session; the row stays a while for operators who query the database itself.
  const end = sql`least(ended_at, expires_at, idle_expires_at)`;
  swept.session = await deleteInBatches(kysely, {
    table: 'session',
    where: sql`${end} < now() - interval '30 days'`,
    along: end,
    signal,
  });
  return swept;
}
