import { sql } from 'kysely';
import type { Installation } from '../installation/installation.ts';
import { isRunning } from '../installation/process-family.ts';
import { holderName } from './held-write.ts';

/**
 * Stops the worker where it is, but not within a transaction of its own: frozen there it would keep everybody from what it
 * has locked. Transactions that the test holds, and those behind them, stay as they are.
 */
export async function freezeWorker(installation: Installation): Promise<void> {
  const { kysely } = await installation.database();
  const sessions = sql<{ pid: number }>`select pid from pg_stat_activity where application_name = 'ballast worker'`;
  const open = sql`
    with recursive held (pid) as (
      select pid from pg_stat_activity where application_name = ${holderName}
      union
      select waiting.pid from pg_stat_activity waiting join held on held.pid = any(pg_blocking_pids(waiting.pid))
    )
    select pid from pg_stat_activity
    where application_name = 'ballast worker' and xact_start is not null and pid not in (select pid from held)
  `;
  await installation.until('the worker is frozen between two transactions', async () => {
    installation.parts.freeze('worker');
    const { rows } = await sessions.execute(kysely);
    // A session that sleeps has heard all that the worker said; one that runs may be beginning a transaction.
    await installation.until('PostgreSQL has heard the worker', async () => !rows.some(({ pid }) => isRunning(pid)));
    if ((await open.execute(kysely)).rows.length === 0) return true;
    installation.parts.thaw('worker');
    return false;
  });
}
