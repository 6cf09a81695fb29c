import { type Kysely, sql } from 'kysely';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
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
