import { type Kysely, sql } from 'kysely';
import type { ItemKind } from '../../domain/change-sets/items.ts';
import { nodeOf, References, type Referring } from '../../domain/references/graph.ts';
import { Names, type Variable } from '../../domain/references/names.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { BuildTime } from '../../domain/variables/build-time.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** A staged change, as far as references need to know it. */
export interface StagedVariable {
  kind: ItemKind;
  service_id: string | null;
  key: string;
  refers: readonly string[] | null;
  build_time?: BuildTime | null;
}

/** An environment with these changes. */
export interface Draft {
  settings: ReadonlyMap<string, ServiceSettings>;
  items: readonly StagedVariable[];
}

/**
 * The references of an environment with each of these drafts. Three questions, however many variables there are: those that
 * refer to something, the slugs of the services, and which of the names that are referred to are there.
 */
export async function referencesWith<Drafts extends readonly Draft[]>(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  ...drafts: Drafts
): Promise<{ [Index in keyof Drafts]: References }> {
  const applied = await referring(kysely, place);
  const lists = drafts.map(({ settings, items }) => referringWith(applied, items, settings));
  const all = lists.flat();
  const ids = [...new Set(drafts.flatMap(({ settings }) => [...settings.keys()]))];
  const slugs = all.length === 0 ? new Map<string, string>() : await slugsOf(kysely, place, ids);
  const there = await thereOf(kysely, place, soughtBy(all, slugs));
  const found = drafts.map(({ settings, items }, at) => {
    const names = new Names(slugs, settings, hasOf(there, settings, items));
    return new References(names, lists[at] ?? []);
  });
  return found as { [Index in keyof Drafts]: References };
}

/** The applied variables that refer to something, or whose escapes are read; of all services and shared ones, or of these services. */
export async function referring(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  serviceIds?: readonly string[],
): Promise<Referring[]> {
  const own = sql`
    select service_id::text as scope, key, refers, build_time as "buildTime" from variable
    where organization_id = ${organizationId} and environment_id = ${environmentId} and refers is not null`;
  const { rows } = await (serviceIds === undefined
    ? sql<Referring>`${own}
        union all
        select '' as scope, key, refers, build_time from shared_variable
        where organization_id = ${organizationId} and environment_id = ${environmentId} and refers is not null`
    : sql<Referring>`${own} and service_id = any(${serviceIds}::uuid[])`
  ).execute(kysely);
  return rows;
}

/** These with staged changes. `settings`: only of services that have some, where they are given. */
export function referringWith(
  applied: readonly Referring[],
  items: Draft['items'],
  settings?: Draft['settings'],
): Referring[] {
  const found = new Map(applied.map((one) => [nodeOf(one), one]));
  for (const { kind, service_id: serviceId, key, refers, build_time: buildTime } of items) {
    const variable = { scope: serviceId ?? '', key };
    if (kind === 'variable.set' && refers !== null) found.set(nodeOf(variable), { ...variable, refers, buildTime });
    else if (kind === 'variable.set' || kind === 'variable.unset') found.delete(nodeOf(variable));
  }
  return [...found.values()].filter(({ scope }) => scope === '' || settings === undefined || settings.has(scope));
}

/** The slugs of these services, by id. */
export async function slugsOf(
  kysely: Kysely<Tables>,
  { organizationId }: Pick<EnvironmentRef, 'organizationId'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select(['id', 'slug'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('deletion_id', 'is', null)
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

/** All variables that references may mean. Keys alone decide: one more that is asked for does no harm. */
export function soughtBy(all: readonly Referring[], slugs: ReadonlyMap<string, string>): Variable[] {
  const ids = new Map([...slugs].map(([id, slug]) => [slug, id]));
  const sought = new Map<string, Variable>();
  for (const { scope, refers } of all) {
    for (const reference of refers) {
      const [first = '', second, third] = reference.split('.');
      const of = second === undefined ? scope : first === 'shared' ? '' : ids.get(first);
      if (of === undefined || third !== undefined) continue;
      const variable = { scope: of, key: second ?? first };
      sought.set(nodeOf(variable), variable);
    }
  }
  return [...sought.values()];
}

/** Those of these variables that are applied. Each is looked for by itself: joined, all of the environment would be read. */
export async function thereOf(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  sought: readonly Variable[],
): Promise<Set<string>> {
  if (sought.length === 0) return new Set();
  const { rows } = await sql<Variable>`
    with sought as (
      select * from unnest(${sought.map(({ scope }) => scope)}::text[], ${sought.map(({ key }) => key)}::text[]) as one (scope, key)
    )
    select sought.scope, sought.key from sought
    cross join lateral (
      select from variable where organization_id = ${organizationId} and environment_id = ${environmentId}
        and service_id = nullif(sought.scope, '')::uuid and key = sought.key limit 1
    ) one
    union all
    select '', sought.key from sought
    join shared_variable shared on shared.organization_id = ${organizationId} and shared.environment_id = ${environmentId}
      and shared.key = sought.key
    where sought.scope = ''
  `.execute(kysely);
  return new Set(rows.map(nodeOf));
}

export function hasOf(
  there: ReadonlySet<string>,
  settings: Draft['settings'],
  items: Draft['items'],
): (variable: Variable) => boolean {
  const staged = new Map(
    items
      .filter(({ kind }) => kind === 'variable.set' || kind === 'variable.unset')
      .map(({ kind, service_id: serviceId, key }) => [
        nodeOf({ scope: serviceId ?? '', key }),
        kind === 'variable.set',
      ]),
  );
  return (variable) => {
    if (variable.scope !== '' && !settings.has(variable.scope)) return false;
    return staged.get(nodeOf(variable)) ?? there.has(nodeOf(variable));
  };
}
