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

/**
 * That build brought nothing live: it failed, or its image could not be deployed and nobody has deployed it since. An image
 * of elsewhere that went live later takes its place.
 */
export const builtInVain = sql`(
  (built.state = 'failed' or (built.release_error is not null and built.release_id is distinct from place.live_release_id))
  and not coalesce(place.settings -> 'source' ->> 'kind' = 'image' and place.live_at > built.finished_at, false))`;
