import { type Kysely, sql } from 'kysely';
import { slotOf } from '../../domain/change-sets/items.ts';
import { References, type Referring } from '../../domain/references/graph.ts';
import { Names, sharedScope } from '../../domain/references/names.ts';
import { appliedSettings, withItems } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import { draftItems } from '../change-sets/items.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { hasOf, referring, referringWith, type StagedVariable, soughtBy, thereOf } from './referring.ts';

/**
 * The references of these services once the draft is applied, and of the shared variables that they lead to: enough to tell
 * which services each of them leads to. Nothing else of the environment is read, however large it is.
 */
export async function referencesOf(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  serviceIds: readonly string[],
): Promise<References> {
  const draft = await tenant(kysely, place.organizationId)
    .selectFrom('draft')
    .select('id')
    .where('environment_id', '=', place.environmentId)
    .executeTakeFirst();
  const staged = (ids: readonly string[]) =>
    draft === undefined || ids.length === 0 ? [] : draftItems(kysely, place, draft.id, ids);
  const ownItems = await staged(serviceIds);
  const own = referringWith(await referring(kysely, place, serviceIds), ownItems);
  if (own.length === 0) return new References(new Names(new Map(), new Map(), () => false), []);
  const shared = await sharedFrom(kysely, place, draft?.id, own);
  const all = [...own, ...shared.referring];
  const slugs = await slugsIn(kysely, place, { ids: serviceIds, slugs: slugsOfTargets(all) });
  const others = [...slugs.keys()].filter((id) => !serviceIds.includes(id));
  const items = [...ownItems, ...(await staged(others))];
  const settings = withItems(await appliedSettings(kysely, place, [...slugs.keys()]), items);
  const there = await thereOf(kysely, place, soughtBy(all, slugs));
  return new References(new Names(slugs, settings, hasOf(there, settings, [...items, ...shared.items])), all);
}

/** The shared variables with references that these lead to, directly or by others. */
async function sharedFrom(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  draftId: string | undefined,
  from: readonly Referring[],
): Promise<{ referring: Referring[]; items: StagedVariable[] }> {
  const found = { referring: [] as Referring[], items: [] as StagedVariable[] };
  const asked = new Set<string>();
  for (let keys = sharedKeys(from); keys.length > 0; ) {
    for (const key of keys) asked.add(key);
    const slots = keys.map((key) => slotOf({ kind: 'variable.set', serviceId: undefined, key }));
    const { rows } = await sql<Referring & { kind: StagedVariable['kind'] | null }>`
      select '' as scope, key, refers, null as kind from shared_variable
      where organization_id = ${organizationId} and environment_id = ${environmentId} and key = any(${keys}::text[])
      union all
      select '', key, refers, kind from change_set_item
      where organization_id = ${organizationId} and change_set_id = ${draftId ?? null}::uuid
        and slot = any(${slots}::text[])
    `.execute(kysely);
    const applied = rows.filter(({ kind, refers }) => kind === null && refers !== null);
    const items = rows.flatMap(({ kind, key, refers }) =>
      kind === null ? [] : [{ kind, service_id: null, key, refers }],
    );
    const next = referringWith(applied, items);
    found.referring.push(...next);
    found.items.push(...items);
    keys = sharedKeys(next).filter((key) => !asked.has(key));
  }
  return found;
}

function sharedKeys(from: readonly Referring[]): string[] {
  const keys = from.flatMap(({ scope, refers }) =>
    refers.flatMap((reference) => {
      const [first = '', second, third] = reference.split('.');
      if (second === undefined) return scope === '' ? [first] : [];
      return first === sharedScope && third === undefined ? [second] : [];
    }),
  );
  return [...new Set(keys)];
}

/** The slugs of the services that references name; that of a shared variable's scope is no service's. */
function slugsOfTargets(from: readonly Referring[]): string[] {
  const named = from.flatMap(({ refers }) => refers.filter((reference) => reference.includes('.')));
  return [...new Set(named.map((reference) => reference.split('.', 1)[0] ?? ''))].filter((one) => one !== sharedScope);
}

/** The slugs of these services, and of those of the environment's project that have one of these slugs, by id. */
async function slugsIn(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  { ids, slugs }: { ids: readonly string[]; slugs: readonly string[] },
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; slug: string }>`
    select id, slug from service
    where organization_id = ${organizationId} and id = any(${ids}::uuid[]) and deletion_id is null
    union
    select service.id, service.slug from environment
    join service on service.organization_id = environment.organization_id and service.project_id = environment.project_id
      and service.slug = any(${slugs}::text[]) and service.deletion_id is null
    where environment.organization_id = ${organizationId} and environment.id = ${environmentId}
  `.execute(kysely);
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
