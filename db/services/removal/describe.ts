import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { ServiceView } from '../services.ts';
import type { DeletionImpact } from './impact.ts';

/** Where a service was and what it had, as the list of deleted things tells it. */
export async function describeService(
  kysely: Kysely<Tables>,
  { id, organizationId, projectId }: ServiceView,
  { environments }: Pick<DeletionImpact, 'environments'>,
): Promise<{ context: string; detail: string }> {
  const own = tenant(kysely, organizationId);
  const { name } = await own.selectFrom('project').select('name').where('id', '=', projectId).executeTakeFirstOrThrow();
  const { volumes } = await own
    .selectFrom('volume')
    .select(sql<number>`count(*)::int`.as('volumes'))
    .where('service_id', '=', id)
    .where('deletion_id', 'is', null)
    .executeTakeFirstOrThrow();
  const places = environments.map((one) => one.name).join(', ');
  const parts = [places === '' ? '' : `In ${places}`, volumes === 0 ? '' : counted(volumes, 'volume')];
  return { context: name, detail: parts.filter((part) => part !== '').join('; ') };
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
