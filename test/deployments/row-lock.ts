import { Client } from 'pg';
import { until } from '../ground/until.ts';

export interface RowLock {
  /** Waits until a transaction of the worker stands before the row. */
  met(): Promise<void>;
  /** Gives the row free, where the server has not ended meanwhile and done so itself. */
  release(): Promise<void>;
}

/** Holds a row, so that whoever writes it stands still in the middle of its transaction. */
export async function lockRow(url: string, select: string, parameters: string[]): Promise<RowLock> {
  const client = new Client({ connectionString: url, application_name: 'ballast test lock' });
  // The server may be killed.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  const { rowCount } = await client.query(`${select} for update`, parameters);
  if (rowCount !== 1) throw new Error(`${rowCount} rows are locked by: ${select}`);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const waiting = `select 1 from pg_stat_activity where application_name = 'ballast worker' and ${pid} = any(pg_blocking_pids(pid))`;
  return {
    async met() {
      await until('a worker waits for the row', async () => ((await client.query(waiting)).rowCount ?? 0) > 0);
    },
    async release() {
      await client.query('rollback').catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
}
