import { sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';

/** Tables that change by themselves: how often was asked, who was last seen, what is being delivered. Of members that is a column. */
const meters = ['rate_limit', 'rate_permit', 'process', 'session', 'api_token', 'outbox'];

/** Each table of the database with a digest of all of its rows, so that two looks tell what was written between them. */
export async function wholeRows({ kysely }: Database): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select relid::regclass::text as name from pg_stat_user_tables where schemaname = 'public' order by 1
  `.execute(kysely);
  const each = rows
    .filter(({ name }) => !meters.includes(name))
    .map(
      ({ name }) =>
        sql`select ${name}::text as name, concat(count(*), ' ', md5(string_agg(row, '' order by row))) as rows
          from (select (to_jsonb(whole) - 'last_active_at')::text as row from ${sql.table(name)} as whole) rows`,
    );
  const found = await sql<{ name: string; rows: string }>`${sql.join(each, sql` union all `)}`.execute(kysely);
  return Object.fromEntries(found.rows.map((row) => [row.name, row.rows]));
}
