import { type Kysely, sql } from 'kysely';
import type { References } from '../../domain/references/graph.ts';
import { appliedSettings, withItems } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import { draftItems } from '../change-sets/items.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { referencesOf } from './of-services.ts';
import { referencesWith } from './referring.ts';

/** A service to which variables of another one refer. */
export interface Referred {
  id: string;
  name: string;
  slug: string;
  template: string | null;
  /** The variables of the other one. */
  keys: string[];
}

/** The references of an environment, as applied and once its draft is; undefined where nothing refers to anything. */
export async function referencesIn(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
): Promise<{ applied: References; wanted: References } | undefined> {
  const draft = await tenant(kysely, place.organizationId)
    .selectFrom('draft')
    .select('id')
    .where('environment_id', '=', place.environmentId)
    .executeTakeFirst();
  const items = draft === undefined ? [] : await draftItems(kysely, place, draft.id);
  // Most environments have none: then nobody's settings have to be read.
  if (!items.some(({ refers }) => refers !== null) && !(await anyRefers(kysely, place))) return undefined;
  const settings = await appliedSettings(kysely, place);
  const drafts = [
    { settings, items: [] },
    { settings: withItems(settings, items), items },
  ] as const;
  const [applied, wanted] = await referencesWith(kysely, place, ...drafts);
  return { applied, wanted };
}

async function anyRefers(kysely: Kysely<Tables>, { organizationId, environmentId }: EnvironmentRef): Promise<boolean> {
  const { rows } = await sql`
    (select 1 from variable
      where organization_id = ${organizationId} and environment_id = ${environmentId} and refers is not null limit 1)
    union all
    (select 1 from shared_variable
      where organization_id = ${organizationId} and environment_id = ${environmentId} and refers is not null limit 1)
  `.execute(kysely);
  return rows.length > 0;
}

/** The services that variables of each of these services refer to, once the draft is applied. */
export async function referredServices(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, Referred[]>> {
  const wanted = (await referencesOf(kysely, place, serviceIds)).refersTo();
  const ids = [...new Set([...wanted.values()].flatMap((others) => [...others.keys()]))];
  if (ids.length === 0) return new Map();
  const rows = await tenant(kysely, place.organizationId)
    .selectFrom('service')
    .select(['id', 'name', 'slug', 'template'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute();
  const services = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    [...wanted].map(([from, others]) => {
      const found = [...others].flatMap(([id, keys]) => {
        const service = services.get(id);
        return service === undefined ? [] : [{ ...service, keys: [...keys].toSorted() }];
      });
      return [from, found.toSorted((one, other) => (one.slug < other.slug ? -1 : 1))];
    }),
  );
}
