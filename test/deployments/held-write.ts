import { sql } from 'kysely';
import { Client } from 'pg';
import { until } from '../ground/until.ts';
import type { WholeDatabase } from '../ground/whole-database.ts';

/** The session by which a write is held. */
export const holderName = 'ballast test hold';

/** The tables whose writes can be held, each with the column that says which. */
const named = { environment_service: 'service_id', cluster_slice: 'key' } as const;
type Table = keyof typeof named;

export interface HeldWrite {
  /** Waits until a transaction of the worker stands before the write. */
  met(): Promise<void>;
  /** Whether it stands there at this moment. */
  stands(): Promise<boolean>;
  /** Lets it go on, where the server has not ended meanwhile and done so itself. */
  release(): Promise<void>;
}

/**
 * Makes the writes of these tables look whether somebody holds them. A lock of the row would not do: a transaction that
 * waits for it gives up after some seconds, and would not be there any more when something is killed.
 */
export async function makeWritesHoldable({ kysely }: WholeDatabase): Promise<void> {
  await sql`
    create function stand_where_held() returns trigger language plpgsql set lock_timeout = 0 as $$ begin
      perform pg_advisory_xact_lock_shared(hashtextextended(to_jsonb(new) ->> tg_argv[0], 0));
      return new;
    end $$
  `.execute(kysely);
  for (const [table, column] of Object.entries(named)) {
    await sql`
      create trigger stand_where_held before insert or update on ${sql.table(table)}
      for each row execute function stand_where_held(${sql.lit(column)})
    `.execute(kysely);
  }
}

/** Holds writes of a row, so that whoever writes it stands still in the middle of its transaction. */
export async function holdWrite(url: string, table: Table, value: string): Promise<HeldWrite> {
  const client = new Client({ connectionString: url, application_name: holderName });
  // The server may be killed.
  client.on('error', () => undefined);
  await client.connect();
  const { rowCount } = await client.query(`select 1 from ${table} where ${named[table]} = $1`, [value]);
  if (rowCount !== 1) throw new Error(`${rowCount} rows of ${table} are called ${value}.`);
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [value]);
  const waiting = `
    select 1 from pg_stat_activity
    where application_name = 'ballast worker' and pg_backend_pid() = any(pg_blocking_pids(pid))
  `;
  const stands = async () => ((await client.query(waiting)).rowCount ?? 0) > 0;
  return {
    async met() {
      await until('a worker stands before the write', stands);
    },
    stands,
    async release() {
      await client.end().catch(() => undefined);
    },
  };
}
