import type { ItemKind } from '../../../domain/change-sets/items.ts';
import type { Decision } from '../../../domain/deployments/arbiter-types.ts';
import { Problem } from '../../../domain/problems.ts';
import type { ImagePlatform } from '../../../domain/services/image-fit.ts';
import type { ReleaseContent, ServiceSettings } from '../../../domain/services/settings.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { DeploymentOptions, Requested } from '../request-deployment.ts';

/** A release and the environment of the same project that is to run its image. */
export interface Promotion {
  organizationId: string;
  projectId: string;
  serviceId: string;
  releaseId: string;
  environmentId: string;
}

export type Wish = Omit<DeploymentOptions, 'kind' | 'promotedFrom'> & {
  /** Somebody accepts that the target has no value for variables that the release has. */
  missingAccepted: boolean;
};

/** `changeSetId`: of the changes that go along. */
export type Promoted = { releaseId: string; changeSetId?: string } & (
  | Requested
  | Extract<Decision, { refused: string }>
);

/** The release, and the environment that it serves. */
export interface Source {
  number: number;
  content: ReleaseContent;
  imageRef: string;
  platforms: ImagePlatform[] | null;
  variableKeys: string[];
  buildId: string | null;
  gitCommitSha: string | null;
  environmentId: string;
  environment: string;
  production: boolean;
}

export async function sourceOf(
  { kysely }: Pick<Effect, 'kysely'>,
  { organizationId, serviceId, releaseId }: Pick<Promotion, 'organizationId' | 'serviceId' | 'releaseId'>,
): Promise<Source> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .select(['release.number', 'release.content', 'release.image_ref as imageRef', 'release.build_id as buildId'])
    .select(['release.image_platforms as platforms', 'release.variable_keys as variableKeys'])
    .select(['release.git_commit_sha as gitCommitSha', 'release.retired_at as retiredAt'])
    .select(['environment.id as environmentId', 'environment.name as environment', 'environment.production'])
    .where('release.id', '=', releaseId)
    .where('release.service_id', '=', serviceId)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'The release that is to be promoted is of another service.');
  const { retiredAt, ...source } = row;
  if (retiredAt === null) return source;
  throw new Problem(
    'release-retired',
    `Release #${row.number} is retired: its image and secrets may be gone. Choose a later one.`,
  );
}

export interface Target {
  service: string;
  environment: string;
  production: boolean;
  /** As applied; null where it lacks the service. */
  settings: ServiceSettings | null;
  liveDigest: string | null;
}

export async function targetOf(
  { kysely }: Pick<Effect, 'kysely'>,
  { organizationId, serviceId, environmentId }: Omit<Promotion, 'projectId' | 'releaseId'>,
): Promise<Target> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('service')
    .innerJoin('environment', 'environment.project_id', 'service.project_id')
    .leftJoin('environment_service as place', (join) =>
      join.onRef('place.service_id', '=', 'service.id').onRef('place.environment_id', '=', 'environment.id'),
    )
    .leftJoin('release as live', 'live.id', 'place.live_release_id')
    .select(['service.name as service', 'environment.name as environment', 'environment.production'])
    .select(['place.settings', 'live.content_digest as liveDigest'])
    .where('service.id', '=', serviceId)
    .where('environment.id', '=', environmentId)
    .where('service.deletion_id', 'is', null)
    .where('environment.deletion_id', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'The service or the environment was deleted.');
  return row;
}

/** Whether a change that is staged of a service goes with its first promotion, which brings the settings that it begins with and its image. */
export function goesAlong({ kind, key }: { kind: ItemKind; key: string }): boolean {
  return kind !== 'service.create' && !(kind === 'service.set' && key === 'source');
}
