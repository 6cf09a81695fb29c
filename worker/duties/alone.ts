import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';

/**
 * Runs the task unless another worker is at it. The lock belongs to a connection, so it ends with us however we end.
 * Answers whether it ran.
 */
export async function alone(database: Database, name: string, task: () => Promise<void>): Promise<boolean> {
  return database.kysely.connection().execute(async (connection) => {
    const key = sql`hashtextextended(${`worker ${name}`}, 0)`;
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${key}) as held`.execute(connection);
    if (rows[0]?.held !== true) return false;
    try {
      await task();
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection);
    }
    return true;
  });
}
