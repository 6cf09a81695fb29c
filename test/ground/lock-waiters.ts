import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';

/** How many sessions of this database wait for a lock that another one holds. */
export async function lockWaiters({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `.execute(kysely);
  return rows[0]?.count ?? 0;
}
