import { type RawBuilder, sql } from 'kysely';
import { type Meanwhile, Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import type { NewItem, SeenVariable } from '../staging.ts';

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
  items: readonly NewItem[],
): Promise<void> {
  const meanwhile: (Meanwhile & { key: string })[] = [];
  for (const { seen, serviceId, key, to } of items) {
    if (seen === undefined) continue;
    const now = await variableNow(effect, place, draftId, serviceId, key);
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

async function variableNow(
  { kysely }: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  draftId: string,
  serviceId: string | null,
  key: string,
): Promise<Now | undefined> {
  const applied: RawBuilder<unknown> =
    serviceId === null
      ? sql`from shared_variable where organization_id = ${organizationId} and environment_id = ${environmentId}`
      : sql`from variable where organization_id = ${organizationId} and environment_id = ${environmentId}
          and service_id = ${serviceId}`;
  const { rows } = await sql<Now>`
    select "itemId", kind, secret, value, "by", date_trunc('milliseconds', at) as at from (
      select 1 as rank, id::text as "itemId", kind, secret, case to_value when '' then '' else to_value::jsonb #>> '{}' end as value,
        staged_by_name as "by", created_at as at
      from change_set_item
      where organization_id = ${organizationId} and change_set_id = ${draftId} and kind in ('variable.set', 'variable.unset')
        and key = ${key} and service_id is not distinct from ${serviceId}::uuid
      union all
      select 2, null, 'applied', sealed is not null, value, updated_by, updated_at ${applied} and key = ${key}
    ) as found order by rank limit 1
  `.execute(kysely);
  return rows[0];
}
