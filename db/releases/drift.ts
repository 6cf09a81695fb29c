import { type Kysely, sql } from 'kysely';
import { type DifferingVariable, type DriftItem, driftItems } from '../../domain/releases/drift.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { Tables } from '../postgres/tables.ts';
import { changedByReferences } from '../references/changed.ts';

interface ServiceInEnvironment {
  organizationId: string;
  environmentId: string;
}

interface Row {
  serviceId: string;
  service: string;
  applied: ServiceSettings;
  /** Null: the same as the applied ones. */
  live: ServiceSettings | null;
  liveImage: string;
  appliedImage: string | null;
  variables: DifferingVariable[];
  /** Some of its variables refer to others, and are written as they were. */
  refers: boolean;
  running: { name: string; replicas: number }[] | null;
}

/**
 * The differences between what is applied and what is live of these services, one question for all of them. Secrets are not
 * opened: one differs if it was applied after the live release's variables were those of the environment. Without `values`
 * it tells of variables which differ, and not in what.
 */
export async function driftOf(
  kysely: Kysely<Tables>,
  place: ServiceInEnvironment,
  serviceIds: readonly string[],
  { values = true }: { values?: boolean } = {},
): Promise<ReadonlyMap<string, DriftItem[]>> {
  if (serviceIds.length === 0) return new Map();
  const { rows } = await driftBy(place, serviceIds, values).execute(kysely);
  const referring = rows.flatMap(({ serviceId, refers }) => (refers ? [serviceId] : []));
  const followed = await changedByReferences(kysely, place, referring);
  return new Map(
    rows.map((row) => {
      const { serviceId, service, applied, live, liveImage, appliedImage, variables: own, running } = row;
      const written = new Set(own.map(({ key }) => key));
      const variables = [...own, ...(followed.get(serviceId) ?? []).filter(({ key }) => !written.has(key))];
      const sides = {
        ...{ service, variables: variables.toSorted((one, other) => (one.key < other.key ? -1 : 1)) },
        live: { settings: live ?? applied, image: liveImage },
        applied: { settings: applied, image: appliedImage ?? liveImage },
        ...(running === null ? {} : { running: new Map(running.map(({ name, replicas }) => [name, replicas])) }),
      };
      return [serviceId, driftItems(sides)];
    }),
  );
}

export function driftBy(
  { organizationId, environmentId }: ServiceInEnvironment,
  serviceIds: readonly string[],
  values: boolean,
) {
  const fromAndTo = values ? sql`'from', one.before, 'to', one.after,` : sql``;
  return sql<Row>`
    select place.service_id as "serviceId", service.slug as service, place.settings as applied,
      nullif(frozen.settings, place.settings) as live,
      concat(frozen.image ->> 'repository', '@', frozen.image ->> 'digest') as "liveImage",
      case when place.applied_digest is not null then (select concat(release.content #>> '{image,repository}', '@', release.content #>> '{image,digest}') from release
        where release.organization_id = ${organizationId} and release.environment_id = ${environmentId}
          and release.service_id = place.service_id and release.content_digest = place.applied_digest
        order by release.created_at desc, release.id desc limit 1) end as "appliedImage",
      differing.variables, differing.refers,
      case when not place.suspended and not exists (
        select from deployment open where open.organization_id = ${organizationId}
          and open.environment_id = ${environmentId} and open.service_id = place.service_id and open.finished_at is null
      ) then (
        select json_agg(json_build_object('name', process ->> 'name', 'replicas', (process ->> 'replicas')::int))
        from environment join cluster_slice slice on slice.cluster_id = environment.cluster_id
          and slice.key = concat('env/', place.environment_id, '/', place.service_id) and slice.removed_at is null
        cross join lateral jsonb_array_elements(
          case jsonb_typeof(slice.workload -> 'processes') when 'array' then slice.workload -> 'processes' else '[]' end
        ) as process
        where environment.organization_id = ${organizationId} and environment.id = place.environment_id
      ) end as running
    from environment_service place
    join service on service.organization_id = ${organizationId} and service.id = place.service_id
    join release live on live.organization_id = ${organizationId} and live.id = place.live_release_id
    -- Taken apart once: what is looked up by each key is not the whole of it, which may be stored compressed.
    cross join lateral (
      select live.content -> 'settings' as settings, live.content -> 'image' as image,
        coalesce(live.content -> 'variables', '{}') as variables,
        coalesce(live.content #> '{references,written}', '{}') as written
      offset 0
    ) frozen
    cross join lateral (
      select greatest(live.created_at, max(approval.decided_at),
        max(deployment.created_at) filter (where deployment.kind in ('rollback', 'rerun'))) as at
      from deployment left join approval on approval.organization_id = ${organizationId}
        and approval.id = deployment.approval_id
      where deployment.organization_id = ${organizationId} and deployment.environment_id = ${environmentId}
        and deployment.service_id = place.service_id and deployment.release_id = live.id
    ) since
    cross join lateral (
      select coalesce(json_agg(json_build_object('key', one.key, ${fromAndTo} 'set', one.set,
        'secret', one.secret) order by one.key) filter (where one.differs), '[]') as variables,
        coalesce(bool_or(one.refers and not one.differs), false) as refers
      from (
        select key, now_set.key is not null as set, now_set.refers is not null as refers,
          (was.key is not null and not was.plain) or coalesce(now_set.sealed is not null, false) as secret,
          was.value as before,
          case when now_set.sealed is null then now_set.value end as after,
          case
            when was.key is null or now_set.key is null then true
            when was.plain and now_set.sealed is null then
              was.value is distinct from now_set.value
            when was.plain or now_set.sealed is null then true
            else now_set.updated_at > since.at
          end as differs
        from (
          -- With references, as they were written.
          select key, coalesce(frozen.written ->> key, frozen.variables ->> key) as value,
            frozen.written ? key or frozen.variables ? key as plain
          from unnest(live.variable_keys) as names (key)
        ) was
        full join (
          select variable.key, variable.value, variable.sealed, variable.refers, variable.updated_at from variable
          where variable.organization_id = ${organizationId} and variable.environment_id = ${environmentId}
            and variable.service_id = place.service_id and variable.build_time is distinct from 'only'
        ) now_set using (key)
      ) one
    ) differing
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
      and place.service_id = any(${serviceIds}::uuid[])
      and (place.applied_digest is distinct from live.content_digest or place.outgrown)
  `;
}
