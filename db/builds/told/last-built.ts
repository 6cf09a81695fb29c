import { type RawBuilder, sql } from 'kysely';

/** Of each service in an environment, so many of the last builds are looked at for one that came to a result. */
const recent = 20;

/** Beside `place`, a service in an environment: `built`, its newest build that came to a result. */
export function lastBuilt(organizationId: string): RawBuilder<unknown> {
  return sql`cross join lateral (
    select * from (
      select * from build
      where build.organization_id = ${organizationId} and build.service_id = place.service_id
        and build.environment_id = place.environment_id
      order by build.created_at desc, build.id desc limit ${recent}
    ) before where before.state in ('failed', 'succeeded') limit 1
  ) built`;
}

/** Since that build ended, a release of what it built, or one that was promoted, went live; it may be another one that serves now. */
const replaced = sql`exists (
  select from deployment
  join release on release.organization_id = place.organization_id and release.id = deployment.release_id
  where deployment.organization_id = place.organization_id and deployment.environment_id = place.environment_id
    and deployment.service_id = place.service_id
    and (deployment.id = place.live_deployment_id or (deployment.state = 'live' and deployment.finished_at > built.finished_at))
    and (release.build_id = built.id or release.promoted_from_release_id is not null))`;

/**
 * That build brought nothing live: it failed, or its image could not be deployed. It is of no concern any more once what it
 * built, a promoted release or an image of elsewhere went live.
 */
export const builtInVain = sql`(
  (built.state = 'failed' or built.release_error is not null)
  and not coalesce(place.live_at > built.finished_at
    and (place.settings -> 'source' ->> 'kind' = 'image' or ${replaced}), false))`;

/** The ids of such builds, of one service or environment where these are given. */
export function buildsInVain(
  organizationId: string,
  { environmentId, serviceId }: { environmentId?: string | undefined; serviceId?: string | undefined },
): RawBuilder<unknown> {
  return sql`
    select built.id from environment_service place ${lastBuilt(organizationId)}
    where place.organization_id = ${organizationId} and ${builtInVain}
      and ${environmentId === undefined ? sql`true` : sql`place.environment_id = ${environmentId}`}
      and ${serviceId === undefined ? sql`true` : sql`place.service_id = ${serviceId}`}`;
}
