import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import type { FrozenConfig } from '../../../domain/repository-config/effective.ts';
import type { ImagePlatform } from '../../../domain/services/image-fit.ts';
import type { ReleaseContent, ServiceSettings } from '../../../domain/services/settings.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { Composition } from '../../releases/compose.ts';
import type { EnvironmentRef } from '../environment-ref.ts';

/** An image, resolved to a digest. */
export interface ResolvedImage {
  image: ReleaseContent['image'];
  /** As people read it. */
  imageRef: string;
  /** The platforms that it is made for; null where these are not known. */
  platforms: ImagePlatform[] | null;
  /** The configuration file of its source, which goes with it. */
  file?: FrozenConfig | undefined;
  /** Where it comes from: its release says so, too. */
  made?: Pick<Composition, 'buildId' | 'gitCommitSha' | 'promotedFromReleaseId'>;
}

/**
 * A tag is resolved when its source is staged, and not because something else changes. The image is that of the release
 * which the settings of today made, whether it went live or not; never one of changes or promotions that were not approved.
 */
export async function lastImage(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: EnvironmentRef & { serviceId: string },
  { source }: ServiceSettings,
): Promise<ResolvedImage | undefined> {
  const last = await tenant(kysely, organizationId)
    .selectFrom('release')
    .leftJoin('environment_service as place', (join) =>
      join
        .onRef('place.environment_id', '=', 'release.environment_id')
        .onRef('place.service_id', '=', 'release.service_id'),
    )
    .select(['release.content', 'release.image_ref as imageRef', 'release.image_platforms as platforms'])
    .select(['release.build_id as buildId', 'release.git_commit_sha as gitCommitSha'])
    .where('release.environment_id', '=', environmentId)
    .where('release.service_id', '=', serviceId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('change_set')
            .select('change_set.id')
            .whereRef('change_set.id', '=', 'release.change_set_id')
            .where('change_set.applied_at', 'is', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployment')
            .innerJoin('approval', 'approval.id', 'deployment.approval_id')
            .select('deployment.id')
            .whereRef('deployment.release_id', '=', 'release.id')
            .where('approval.kind', '=', 'promote')
            .where(sql<boolean>`approval.decision is distinct from 'approved'`),
        ),
      ),
    )
    .orderBy(sql`(release.content_digest = place.applied_digest) is true`, 'desc')
    .orderBy('release.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined || !isDeepStrictEqual(last.content.settings.source, source)) return undefined;
  return imageOf(last);
}

/** The image of a release, and what made it. */
export function imageOf({ content, imageRef, platforms, buildId, gitCommitSha }: ReleasedImage): ResolvedImage {
  const { image, file } = content;
  const made = {
    ...(buildId === null ? {} : { buildId }),
    ...(gitCommitSha === null ? {} : { gitCommitSha }),
  };
  return { image, imageRef, platforms, file, made };
}

interface ReleasedImage {
  content: ReleaseContent;
  imageRef: string;
  platforms: ImagePlatform[] | null;
  buildId: string | null;
  gitCommitSha: string | null;
}
