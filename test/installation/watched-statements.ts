import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { connectionOptions, type Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';

export interface Watched {
  /** The statements that were asked of the database meanwhile. */
  during(work: () => Promise<void>): Promise<CompiledQuery[]>;
  /** The rows that PostgreSQL reads for it, of all tables or of one, those that it then drops included. */
  rowsRead(statement: CompiledQuery, table?: string): Promise<number>;
}

/** Has the database tell of each statement that is asked on its pool. */
export function watchStatements(database: Database): Watched {
  const pool = new Pool({ connectionString: database.url, ...connectionOptions(database) });
  // A database that is dropped ends its connections before they have closed.
  const nobody = (): void => undefined;
  pool.on('error', nobody);
  pool.on('connect', (client) => client.on('error', nobody));
  let seen: CompiledQuery[] = [];
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void seen.push(query),
  });
  const { close } = database;
  Object.assign(database, { kysely, close: () => pool.end().then(close) });
  return {
    async during(work) {
      seen = [];
      await work();
      return seen;
    },
    rowsRead: (statement, table) =>
      kysely.transaction().execute(async (asking) => {
        // Small tables are read whole, which says nothing of large ones.
        for (const plan of ['seqscan', 'hashjoin', 'mergejoin'])
          await sql.raw(`set local enable_${plan} = off`).execute(asking);
        const text = `explain (analyze, format json) ${statement.sql}`;
        const { rows } = await asking.executeQuery<Explained>(CompiledQuery.raw(text, [...statement.parameters]));
        return rows.reduce((sum, row) => sum + rowsOf(row['QUERY PLAN'][0].Plan, table), 0);
      }),
  };
}

interface Explained {
  'QUERY PLAN': [{ Plan: Plan }];
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** The rows of tables that a plan has read. */
function rowsOf(plan: Plan, table: string | undefined): number {
  const inner = (plan.Plans ?? []).reduce((sum, one) => sum + rowsOf(one, table), 0);
  const read = plan['Relation Name'];
  if (read === undefined || (table !== undefined && read !== table)) return inner;
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Index Recheck': rechecked = 0 } = plan;
  return inner + (plan['Actual Rows'] + filtered + rechecked) * plan['Actual Loops'];
}
