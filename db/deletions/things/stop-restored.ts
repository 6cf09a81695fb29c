import { sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { DeletedThing } from './deleted-things.ts';

/**
 * Whatever ran when the thing was deleted is suspended when it comes back: nobody is surprised by instances that start by
 * themselves. Answers whether anything was.
 */
export async function stopRestored(effect: Effect, { organizationId, kind, id }: DeletedThing): Promise<boolean> {
  if (kind === 'volume' || kind === 'left-volume') return false;
  const column = kind === 'database' ? 'service_id' : (`${kind}_id` as const);
  const stopped = await tenant(effect.kysely, organizationId)
    .updateTable('environment_service')
    .set({
      suspended: true,
      suspended_at: sql<Date>`coalesce(suspended_at, clock_timestamp())`,
      suspended_by: sql<string>`coalesce(suspended_by, ${effect.author.name})`,
    })
    .where(column, '=', id)
    .where('live_release_id', 'is not', null)
    .returning('service_id')
    .execute();
  return stopped.length > 0;
}
