import { type Kysely, sql } from 'kysely';
import { deleteInBatches } from '../../engine/delete-in-batches.ts';
import type { Tables } from '../../postgres/tables.ts';

/** The longest window of days that anybody can ask for, and a day for clocks. */
const keptDays = 401;

/**
 * Thins counters that are older than any window of days: numbers per day go, of durations the last row of each month
 * stays. Rows hold all days so far, so a window that begins earlier is told from the beginning of its month.
 */
export async function sweepStatistics(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const isOld = sql`day < (now() at time zone 'UTC')::date - ${keptDays}::int`;
  const isFollowed = sql`exists (
    /* across tenants */ select from deployment_durations later
    where later.project_id = deployment_durations.project_id and later.scope = deployment_durations.scope
      and later.day > deployment_durations.day
      and date_trunc('month', later.day::timestamp) = date_trunc('month', deployment_durations.day::timestamp))`;
  const counted = await deleteInBatches(kysely, { table: 'deployment_day', where: isOld, signal });
  const where = sql`${isOld} and ${isFollowed}`;
  return counted + (await deleteInBatches(kysely, { table: 'deployment_durations', where, signal }));
}
