import { sql } from 'kysely';
import type { Installation } from '../installation/installation.ts';

/**
 * Stops the worker where it is, but not within a transaction of its own: frozen there it would keep everybody from what it
 * has locked. Transactions that stand before a row which the test holds stay as they are.
 */
export async function freezeWorker(installation: Installation): Promise<void> {
  const { kysely } = await installation.database();
  const open = sql`
    select pid from pg_stat_activity
    where application_name = 'ballast worker' and xact_start is not null and wait_event_type is distinct from 'Lock'
  `;
  await installation.until('the worker is frozen between two transactions', async () => {
    installation.parts.freeze('worker');
    if ((await open.execute(kysely)).rows.length === 0) return true;
    installation.parts.thaw('worker');
    return false;
  });
}
