import { sql } from 'kysely';
import { type Meanwhile, Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import type { EnvironmentRef } from '../environment-ref.ts';

/** What somebody saw of a variable: the change that is staged, or when the applied one was changed; neither: that there was none. */
export interface SeenVariable {
  itemId?: string | undefined;
  updatedAt?: Date | undefined;
  /** Where its new value stands in the request. */
  location: string;
}

/** A change of a variable, of which only some say what was seen. */
interface Item {
  serviceId: string | null;
  key: string;
  to?: unknown;
  seen?: SeenVariable;
}

interface Now {
  itemId: string | null;
  kind: 'variable.set' | 'variable.unset' | 'applied';
  secret: boolean;
  value: string;
  by: string;
  at: Date;
}

/** Under the draft's lock: a variable that is another by now than the one that was seen is not overwritten. */
export async function refuseOverwritten(
  effect: Effect,
  place: EnvironmentRef,
  draftId: string,
  items: readonly Item[],
): Promise<void> {
  const looked = items.flatMap(({ seen, ...item }) => (seen === undefined ? [] : [{ ...item, seen }]));
  if (looked.length === 0) return;
  const variables = await variablesNow(effect, place, draftId, looked);
  const meanwhile: (Meanwhile & { key: string })[] = [];
  for (const [index, { seen, key, to }] of looked.entries()) {
    const now = variables.get(index);
    if (isAsSeen(now, seen) || (now?.kind !== 'variable.unset' && now?.secret === false && now.value === to)) continue;
    const { location } = seen;
    if (now === undefined) meanwhile.push({ key, location, value: undefined });
    else {
      const value = now.secret || now.kind === 'variable.unset' ? undefined : now.value;
      meanwhile.push({ key, location, value, by: now.by, at: now.at.toISOString() });
    }
  }
  if (meanwhile.length === 0) return;
  const told = meanwhile.map(
    ({ key, by = 'Somebody', at }) => `${by} changed ${key}${at === undefined ? '' : ` at ${at}`}`,
  );
  throw new Problem('changed-meanwhile', `${told.join(', ')}, after you had looked: look again, then change it.`, {
    errors: meanwhile.map(({ location }) => ({ location, message: 'was changed meanwhile' })),
    meanwhile: meanwhile.map(({ key: _, ...one }) => one),
  });
}

function isAsSeen(now: Now | undefined, { itemId, updatedAt }: SeenVariable): boolean {
  if (itemId !== undefined) return now?.itemId === itemId;
  if (updatedAt !== undefined) return now?.itemId === null && now.at.getTime() === updatedAt.getTime();
  return now === undefined || now.kind === 'variable.unset';
}

/** By the index of who asks: the variable as it is staged, or else as it is applied. */
async function variablesNow(
  { kysely }: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  draftId: string,
  items: readonly Item[],
): Promise<Map<number, Now>> {
  const services = items.map(({ serviceId }) => serviceId);
  const keys = items.map(({ key }) => key);
  const { rows } = await sql<Now & { index: number }>`
    select distinct on (asked.nth) asked.nth::int - 1 as index, "itemId", kind, secret, value, "by", date_trunc('milliseconds', at) as at
    from unnest(${services}::uuid[], ${keys}::text[]) with ordinality as asked (service_id, key, nth)
    cross join lateral (
      select 1 as rank, id::text as "itemId", kind, secret, case to_value when '' then '' else to_value::jsonb #>> '{}' end as value,
        staged_by_name as "by", created_at as at
      from change_set_item as staged
      where organization_id = ${organizationId} and change_set_id = ${draftId} and kind in ('variable.set', 'variable.unset')
        and staged.key = asked.key and staged.service_id is not distinct from asked.service_id
      union all
      select 2, null, 'applied', sealed is not null, value, updated_by, updated_at from variable as own
      where organization_id = ${organizationId} and environment_id = ${environmentId}
        and own.service_id = asked.service_id and own.key = asked.key
      union all
      select 2, null, 'applied', sealed is not null, value, updated_by, updated_at from shared_variable as shared
      where organization_id = ${organizationId} and environment_id = ${environmentId}
        and asked.service_id is null and shared.key = asked.key
    ) as found
    order by asked.nth, rank
  `.execute(kysely);
  return new Map(rows.map(({ index, ...now }) => [index, now]));
}
