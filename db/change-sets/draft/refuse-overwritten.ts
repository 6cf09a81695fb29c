import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { type ItemKind, slotOf } from '../../../domain/change-sets/items.ts';
import { valueBefore } from '../../../domain/change-sets/staging.ts';
import { type Meanwhile, Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { appliedSettings, withItems } from '../applied.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { draftItems } from '../items.ts';

/** What somebody saw of the thing that a change is about. */
export interface Seen {
  /** Of a variable: the change that is staged, or when the applied one was changed; neither: that there was none. */
  itemId?: string | undefined;
  updatedAt?: Date | undefined;
  /** Of a file or a setting: its value, staged or applied; undefined: that there was none. */
  value?: unknown;
  /** Where its new value stands in the request. */
  location: string;
}

/** A change, of which only some say what was seen. */
interface Item {
  kind: ItemKind;
  serviceId: string | null;
  processId?: string;
  key: string;
  to?: unknown;
  seen?: Seen;
}

type Looked = Item & { seen: Seen };

/** The thing as it is by now; secret values are never told. */
type Changed = Omit<Meanwhile, 'location'>;

interface Now {
  itemId: string | null;
  kind: 'variable.set' | 'variable.unset' | 'applied';
  secret: boolean;
  value: string;
  by: string;
  at: Date;
}

/** Under the draft's lock: a variable, file or setting that is another by now than the one that was seen is not overwritten. */
export async function refuseOverwritten(
  effect: Effect,
  place: EnvironmentRef,
  draftId: string,
  items: readonly Item[],
): Promise<void> {
  const looked = items.flatMap(({ seen, ...item }) => (seen === undefined ? [] : [{ ...item, seen }]));
  const isVariable = ({ kind }: Item) => kind.startsWith('variable.');
  const changed = new Map([
    ...(await changedVariables(effect, place, draftId, looked.filter(isVariable))),
    ...(await changedSettings(
      effect,
      place,
      draftId,
      looked.filter((item) => !isVariable(item)),
    )),
  ]);
  const meanwhile = looked.flatMap((item) => {
    const now = changed.get(item);
    return now === undefined ? [] : [{ key: item.key, location: item.seen.location, ...now }];
  });
  if (meanwhile.length === 0) return;
  const told = meanwhile.map(
    ({ key, by = 'Somebody', at }) => `${by} changed ${key}${at === undefined ? '' : ` at ${at}`}`,
  );
  throw new Problem('changed-meanwhile', `${told.join(', ')}, after you had looked: look again, then change it.`, {
    errors: meanwhile.map(({ location }) => ({ location, message: 'was changed meanwhile' })),
    meanwhile: meanwhile.map(({ key: _, ...one }) => one),
  });
}

async function changedVariables(
  effect: Effect,
  place: EnvironmentRef,
  draftId: string,
  looked: readonly Looked[],
): Promise<Map<Looked, Changed>> {
  const changed = new Map<Looked, Changed>();
  if (looked.length === 0) return changed;
  const variables = await variablesNow(effect, place, draftId, looked);
  for (const [index, item] of looked.entries()) {
    const now = variables.get(index);
    const same = now?.kind !== 'variable.unset' && now?.secret === false && now.value === item.to;
    if (isAsSeen(now, item.seen) || same) continue;
    if (now === undefined) changed.set(item, { value: undefined, seen: {} });
    else {
      const value = now.secret || now.kind === 'variable.unset' ? undefined : now.value;
      const at = now.at.toISOString();
      const seen = now.itemId === null ? { updatedAt: at } : { itemId: now.itemId };
      changed.set(item, { value, by: now.by, at, seen });
    }
  }
  return changed;
}

/** Files and settings have no name of their own for each change, as variables do: their values are compared. */
async function changedSettings(
  { kysely }: Effect,
  place: EnvironmentRef,
  draftId: string,
  looked: readonly Looked[],
): Promise<Map<Looked, Changed>> {
  const changed = new Map<Looked, Changed>();
  if (looked.length === 0) return changed;
  const serviceIds = [...new Set(looked.flatMap(({ serviceId }) => serviceId ?? []))];
  const applied = await appliedSettings(kysely, place, serviceIds);
  const staged = await draftItems(kysely, place, draftId, serviceIds);
  const settings = withItems(applied, staged);
  for (const item of looked) {
    const slot = slotOf({ ...item, serviceId: item.serviceId ?? undefined });
    const { processId = null } = item;
    // One that has left is told as such by the change itself.
    const of = settings.get(item.serviceId ?? '');
    if (of === undefined || (processId !== null && of.processes[processId] === undefined)) continue;
    const value = valueBefore({ ...item, slot, processId, volumeId: null }, { applied, settings, variable: undefined });
    const now = value ?? null;
    if (isDeepStrictEqual(now, item.seen.value ?? null) || isDeepStrictEqual(now, item.to ?? null)) continue;
    const mine = staged.find((one) => one.slot === slot);
    const last = mine && { by: mine.staged_by_name, at: mine.created_at };
    const { by, at } = last ?? (await lastApplied(kysely, place, slot)) ?? {};
    const who = { ...(by === undefined ? {} : { by }), ...(at == null ? {} : { at: at.toISOString() }) };
    changed.set(item, { value, ...who, seen: value === undefined ? {} : { value } });
  }
  return changed;
}

async function lastApplied(kysely: Effect['kysely'], { organizationId, environmentId }: EnvironmentRef, slot: string) {
  return await tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .innerJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
    .select(['change_set_item.staged_by_name as by', 'change_set.applied_at as at'])
    .where('change_set_item.environment_id', '=', environmentId)
    .where('change_set_item.slot', '=', slot)
    .where('change_set.applied_at', 'is not', null)
    .orderBy('change_set.applied_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

function isAsSeen(now: Now | undefined, { itemId, updatedAt }: Seen): boolean {
  if (itemId !== undefined) return now?.itemId === itemId;
  if (updatedAt !== undefined) return now?.itemId === null && now.at.getTime() === updatedAt.getTime();
  return now === undefined || now.kind === 'variable.unset';
}

/** By the index of who asks: the variable as it is staged, or else as it is applied. */
async function variablesNow(
  { kysely }: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  draftId: string,
  items: readonly Looked[],
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
