import { type Kysely, sql } from 'kysely';
import { sharedScope } from '../../domain/references/parse.ts';
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
  const { rows } = await sql<ReferredVariable>`
    with staged as (
      select item.service_id, item.key, item.kind, item.refers from change_set_item item
      join draft on draft.id = item.change_set_id
      where item.organization_id = ${organizationId} and item.environment_id = ${environmentId}
        and item.kind in ('variable.set', 'variable.unset')
    ), applied as (
      select service_id, key, refers from variable
      where organization_id = ${organizationId} and environment_id = ${environmentId} and refers is not null
      union all
      select null, key, refers from shared_variable
      where organization_id = ${organizationId} and environment_id = ${environmentId} and refers is not null
    ), wanted as (
      select * from applied where not exists (
        select from staged where staged.service_id is not distinct from applied.service_id and staged.key = applied.key
      )
      union all
      select service_id, key, refers from staged where kind = 'variable.set' and refers is not null
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
          exists (select from staged where kind = 'variable.set' and service_id is not distinct from ${id}::uuid and key = target)
          or exists (
            select from variable where organization_id = ${organizationId} and environment_id = ${environmentId}
              and service_id = ${id}::uuid and key = target
          )
          or ${id}::uuid is null and exists (
            select from shared_variable
            where organization_id = ${organizationId} and environment_id = ${environmentId} and key = target
          )
        )
    )
    select target as key, count(*)::int as count,
      json_agg(json_build_object('serviceId', service_id, 'serviceSlug', slug, 'key', key) order by number)
        filter (where number <= ${mostNamed}) as referrers
    from numbered group by target order by target collate "C" limit ${limit}
  `.execute(kysely);
  return rows;
}
