import { type Kysely, sql } from 'kysely';
import type { Database } from '../../postgres/database.ts';
import type { Tables } from '../../postgres/tables.ts';

const keptHours = 24;
const daysAhead = 2;

/**
 * Makes the partitions of today and the next days (UTC) and drops those that end more than a day ago. A day without a
 * partition loses nothing: its entries lie in the default partition until they are a day old. Several processes may
 * call this at once; one of them does it.
 */
export async function maintainFeedPartitions(
  database: Pick<Database, 'kysely'>,
): Promise<{ created: string[]; dropped: string[] }> {
  const created: string[] = [];
  const dropped: string[] = [];
  for (const day of await daysToHave(database.kysely)) {
    if (await locked(database.kysely, (transaction) => create(transaction, day))) created.push(day.name);
  }
  for (const name of await partitionsToDrop(database.kysely)) {
    if (await locked(database.kysely, (transaction) => drop(transaction, name))) dropped.push(name);
  }
  await sql`
    delete from change_feed_default where at < clock_timestamp() - make_interval(hours => ${keptHours})
  `.execute(database.kysely);
  return { created, dropped };
}

interface Day {
  name: string;
  start: string;
  end: string;
}

async function daysToHave(kysely: Kysely<Tables>): Promise<Day[]> {
  const { rows } = await sql<Day>`
    select 'change_feed_' || to_char(day, 'YYYYMMDD') as name,
           to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00' as start,
           to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00' as end
    from (select (clock_timestamp() at time zone 'UTC')::date + n as day from generate_series(0, ${daysAhead}::int) n) d
    where to_regclass('change_feed_' || to_char(day, 'YYYYMMDD')) is null
  `.execute(kysely);
  return rows;
}

async function partitionsToDrop(kysely: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'change_feed'::regclass
      and child.relname ~ '^change_feed_[0-9]{8}$'
      and to_date(right(child.relname, 8), 'YYYYMMDD') + 1
          < (clock_timestamp() at time zone 'UTC') - make_interval(hours => ${keptHours})
    order by child.relname
  `.execute(kysely);
  return rows.map((row) => row.name);
}

/** Attaching what was made apart locks less than making it in place: writers go on, but for the default partition's. */
async function create(transaction: Kysely<Tables>, day: Day): Promise<boolean> {
  const table = sql.table(day.name);
  const { rows } = await sql`
    select 1 from change_feed_default
    where at >= ${day.start}::timestamptz and at < ${day.end}::timestamptz
    limit 1
  `.execute(transaction);
  if (rows.length > 0) return false;
  await sql`create table ${table} (like change_feed including defaults including constraints)`.execute(transaction);
  await sql`
    alter table change_feed attach partition ${table} for values from (${sql.lit(day.start)}) to (${sql.lit(day.end)})
  `.execute(transaction);
  return true;
}

async function drop(transaction: Kysely<Tables>, name: string): Promise<boolean> {
  await sql`drop table if exists ${sql.table(name)}`.execute(transaction);
  return true;
}

/** A lock that is not to be had soon, a partition that another process made, a day with entries: the next hour's job. */
const notNow = new Set(['55P03', '42P07', '23514', '40P01']);

async function locked(
  kysely: Kysely<Tables>,
  work: (transaction: Kysely<Tables>) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await kysely.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '2s'`.execute(transaction);
      return await work(transaction);
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && notNow.has(error.code)) {
      return false;
    }
    throw error;
  }
}
