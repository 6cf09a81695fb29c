import { type Kysely, sql } from 'kysely';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import type { Effect } from '../engine/effect.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

export type ReleaseView = NonNullable<Awaited<ReturnType<typeof findRelease>>>;

export async function findRelease(kysely: Kysely<Tables>, organizationId: string, id: string) {
  return await releases(kysely, organizationId).where('release.id', '=', id).executeTakeFirst();
}

/** The releases of a service, newest first. */
export async function listReleases(
  kysely: Kysely<Tables>,
  organizationId: string,
  { serviceId, environmentId }: { serviceId: string; environmentId?: string | undefined },
  page: Page,
): Promise<ReleaseView[]> {
  let query = releases(kysely, organizationId)
    .where('release.service_id', '=', serviceId)
    .$call(pageOf('release', 'newest', page));
  if (environmentId !== undefined) query = query.where('release.environment_id', '=', environmentId);
  return await query.execute();
}

/** The last deployment of a release. */
export async function lastDeploymentOf(
  kysely: Kysely<Tables>,
  organizationId: string,
  releaseId: string,
): Promise<string | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .select('id')
    .where('release_id', '=', releaseId)
    .orderBy('admission_order', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

function releases(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('release')
    .select([
      'release.id',
      'release.organization_id as organizationId',
      'release.project_id as projectId',
      'release.environment_id as environmentId',
      'release.service_id as serviceId',
      'release.number',
      'release.runs_as as runsAs',
      'release.content_digest as contentDigest',
      'release.image_ref as imageRef',
      'release.variable_keys as variableKeys',
      'release.change_set_id as changeSetId',
      'release.build_id as buildId',
      'release.git_commit_sha as gitCommitSha',
      'release.promoted_from_release_id as promotedFromReleaseId',
      'release.created_by as createdBy',
      'release.created_at as createdAt',
      'release.retired_at as retiredAt',
    ])
    .select(sql<FrozenConfig | null>`release.content -> 'file'`.as('file'));
}

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

/** The configuration files of the live releases of an environment's services, of all or of these, by service. */
export async function liveFiles(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: { organizationId: string; environmentId: string },
  serviceIds?: readonly string[],
): Promise<Map<string, FrozenConfig>> {
  const of = serviceIds === undefined ? sql`` : sql`and place.service_id = any(${serviceIds}::uuid[])`;
  const { rows } = await sql<{ serviceId: string; file: FrozenConfig }>`
    select place.service_id as "serviceId", release.content -> 'file' as file from environment_service place
    join release on release.organization_id = place.organization_id and release.id = place.live_release_id
    where place.organization_id = ${organizationId} and place.environment_id = ${environmentId} ${of}
      and release.content ? 'file'
  `.execute(kysely);
  return new Map(rows.map(({ serviceId, file }) => [serviceId, file]));
}
