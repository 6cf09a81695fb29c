import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';

/** The one connection that holds the locks of all tasks of this process that run at the moment. */
interface Holder {
  connection: Promise<Kysely<Tables>>;
  /** Which tasks: to its own session PostgreSQL grants a lock twice. */
  held: Set<string>;
  giveBack(): void;
}

const holders = new WeakMap<Database, Holder>();

/**
 * Runs the task unless this worker or another one is at it. Answers whether it ran. The lock belongs to a connection, so
 * it ends with us however we end; all tasks share one, since with one each they would hold most of the pool.
 */
export async function alone(database: Database, name: string, task: () => Promise<void>): Promise<boolean> {
  const holder = holders.get(database) ?? hold(database);
  if (holder.held.has(name)) return false;
  holder.held.add(name);
  const key = sql`hashtextextended(${`worker ${name}`}, 0)`;
  const ask = async (what: 'pg_try_advisory_lock' | 'pg_advisory_unlock'): Promise<boolean> => {
    try {
      const { rows } = await sql<{ answer: boolean }>`select ${sql.raw(what)}(${key}) as answer`.execute(
        await holder.connection,
      );
      return rows[0]?.answer === true;
    } catch (error) {
      // The connection is lost, and every lock with it: the next task takes another one.
      letGo(database, holder);
      throw error;
    }
  };
  try {
    if (!(await ask('pg_try_advisory_lock'))) return false;
    try {
      await task();
    } finally {
      await ask('pg_advisory_unlock');
    }
    return true;
  } finally {
    holder.held.delete(name);
    if (holder.held.size === 0) letGo(database, holder);
  }
}

function hold(database: Database): Holder {
  const taken = Promise.withResolvers<Kysely<Tables>>();
  const over = Promise.withResolvers<void>();
  database.kysely
    .connection()
    .execute(async (connection) => {
      taken.resolve(connection);
      await over.promise;
    })
    .catch(taken.reject);
  const holder = { connection: taken.promise, held: new Set<string>(), giveBack: over.resolve };
  holders.set(database, holder);
  return holder;
}

function letGo(database: Database, holder: Holder): void {
  if (holders.get(database) === holder) holders.delete(database);
  holder.giveBack();
}
