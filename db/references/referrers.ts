import { type Kysely, type RawBuilder, sql } from 'kysely';
import { sharedScope } from '../../domain/references/names.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Tables } from '../postgres/tables.ts';
import { slugsOf } from './referring.ts';

/** A variable that refers to another one. The service of a shared one is null, its slug empty. */
export interface Referrer {
  serviceId: string | null;
  serviceSlug: string;
  key: string;
}

export interface ReferredVariable {
  key: string;
  count: number;
  /** The first of them, by service and key. */
  referrers: Referrer[];
}

/** Referrers of one variable that are named. */
const mostNamed = 20;

interface Sought {
  /** The service whose variables are meant; undefined: those shared. */
  serviceId: string | undefined;
  after: string | undefined;
  limit: number;
}

/**
 * The variables of a service, or those shared, to which others refer once the draft is applied, by their keys. `refers`
 * has references as they were written; a name without a dot means the referrer's own scope.
 */
export async function referredVariables(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  { serviceId, after = '', limit }: Sought,
): Promise<ReferredVariable[]> {
  const { organizationId, environmentId } = place;
  const id = serviceId ?? null;
  const slug = id === null ? sharedScope : (await slugsOf(kysely, place, [id])).get(id);
  if (slug === undefined) return [];
  const begins = `${slug}.`;
  const staged = sql`change_set_item where organization_id = ${organizationId} and change_set_id =
    (select id from draft where organization_id = ${organizationId} and environment_id = ${environmentId})`;
  const own = sql`organization_id = ${organizationId} and environment_id = ${environmentId}`;
  const applied = (table: string, of: RawBuilder<unknown>) => sql`
    select ${table === 'variable' ? sql`service_id` : sql`null::uuid`} as service_id, key, refers from ${sql.ref(table)} applied
    where ${own} and refers is not null and not exists (select from ${staged}
      and kind in ('variable.set', 'variable.unset') and ${of} and change_set_item.key collate "C" = applied.key)`;
  const target = id === null ? sql`service_id is null` : sql`service_id = ${id}`;
  const { rows } = await sql<ReferredVariable>`
    with wanted as (
      ${applied('variable', sql`change_set_item.service_id = applied.service_id`)}
      union all
      ${applied('shared_variable', sql`change_set_item.service_id is null`)}
      union all
      select service_id, key, refers from ${staged} and kind = 'variable.set' and refers is not null
    ), lead as (
      select wanted.service_id, coalesce(service.slug, '') as slug, wanted.key,
        case when starts_with(reference, ${begins}) then substr(reference, length(${begins}) + 1) else reference end as target
      from wanted
      left join service on service.id = wanted.service_id and service.organization_id = ${organizationId},
      unnest(wanted.refers) as reference
      where service.deletion_id is null
        and (starts_with(reference, ${begins}) or wanted.service_id is not distinct from ${id}::uuid)
    ), numbered as (
      select *, row_number() over (partition by target order by slug collate "C", key collate "C") as number from lead
      where strpos(target, '.') = 0 and target collate "C" > ${after}
        and (
          exists (select from ${staged} and kind in ('variable.set', 'variable.unset') and kind = 'variable.set'
            and ${target} and key collate "C" = lead.target)
          or exists (select from ${id === null ? sql`shared_variable` : sql`variable`}
            where ${own} and ${id === null ? sql`true` : target} and key collate "C" = lead.target)
        )
    )
    select target as key, count(*)::int as count,
      json_agg(json_build_object('serviceId', service_id, 'serviceSlug', slug, 'key', key) order by number)
        filter (where number <= ${mostNamed}) as referrers
    from numbered group by target order by target collate "C" limit ${limit}
  `.execute(kysely);
  return rows;
}
