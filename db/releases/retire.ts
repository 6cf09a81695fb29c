import { sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';

export interface ReleasePlace {
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
}

/** So many of a service in an environment can be deployed again, besides those that were live not long ago. */
const keptReleases = 20;
const keptDays = 30;

/**
 * Retires the releases of a place that are no longer deployable: all but the last twenty, those that served within thirty
 * days, and those of deployments that are held or under way.
 */
export async function retireReleases(effect: Effect, place: ReleasePlace): Promise<void> {
  const { organizationId, environmentId, serviceId } = place;
  await sql`
    update release set retired_at = now()
    where organization_id = ${organizationId} and environment_id = ${environmentId} and service_id = ${serviceId}
      and retired_at is null
      and number < (
        select min(number) from (
          select number from release
          where organization_id = ${organizationId} and environment_id = ${environmentId} and service_id = ${serviceId}
          order by number desc limit ${keptReleases}) as last)
      and not exists (
        select from environment_service place
        where place.organization_id = ${organizationId} and place.environment_id = ${environmentId}
          and place.service_id = ${serviceId} and place.live_release_id = release.id)
      and not exists (
        select from deployment where deployment.release_id = release.id and deployment.finished_at is null)
      and not exists (
        select from deployment served
        where served.release_id = release.id and served.state = 'live' and not exists (
          select from deployment later
          where later.organization_id = ${organizationId} and later.environment_id = ${environmentId}
            and later.service_id = ${serviceId} and later.state = 'live'
            and later.finished_at > served.finished_at
            and later.finished_at < now() - make_interval(days => ${keptDays})))
  `.execute(effect.kysely);
}
