import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Decision } from '../../../domain/deployments/arbiter-types.ts';
import { Problem } from '../../../domain/problems.ts';
import type { ImagePlatform } from '../../../domain/services/image-fit.ts';
import { pinnedSource } from '../../../domain/services/pinned-source.ts';
import type { ReleaseContent, ServiceSettings } from '../../../domain/services/settings.ts';
import { lastImage } from '../../change-sets/apply/plan.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { Seals } from '../../releases/compose.ts';
import { appliedFor, composeApplied } from '../../releases/compose-applied.ts';
import { lockAdmission } from '../admission.ts';
import { type Asked, type Requested, requestDeployment } from '../request-deployment.ts';
import { refuseOtherBuildValues } from './build-values.ts';
import { missingVariables, missingWords } from './missing-variables.ts';

/** A release and the environment of the same project that is to run its image. */
export interface Promotion {
  organizationId: string;
  projectId: string;
  serviceId: string;
  releaseId: string;
  environmentId: string;
}

type Wish = Omit<Asked, 'kind' | 'promotedFrom'> & {
  /** Somebody accepts that the target has no value for variables that the release has. */
  missingAccepted: boolean;
};

export type Promoted = { releaseId: string } & (Requested | Extract<Decision, { refused: string }>);

/**
 * Composes a release of the target: the image is that of the other release, to the byte; settings and variables are those
 * that are applied there. What is staged there stays staged. In production it is held until somebody approves it.
 */
export async function promote(
  effect: Effect,
  keyring: Seals,
  promotion: Promotion,
  { missingAccepted, ...asked }: Wish,
): Promise<Promoted> {
  const { organizationId, projectId, serviceId, environmentId } = promotion;
  await lockAdmission(effect, { organizationId, projectId });
  const source = await sourceOf(effect, promotion);
  const target = await targetOf(effect, promotion, source);
  const { settings, service, environment } = target;
  const resolved = await appliedFor(effect, keyring, promotion);
  const missing = await missingVariables(effect.kysely, promotion, source.variableKeys, settings, resolved.variables);
  const [required, unknown] = [missingWords(missing.required), missingWords(missing.unknown)];
  if (missing.required.length > 0) {
    const why = `"${service}" in "${environment}" has no ${required}, of which its files are made`;
    throw new Problem('variables-missing', `${why}: set it there and apply that, then promote again.`);
  }
  if (missing.unknown.length > 0 && !missingAccepted) {
    const why = `"${service}" in "${environment}" has no ${unknown}, as release #${source.number} has in "${source.environment}"`;
    const what = 'set it there and apply that, or accept that it is missing.';
    throw new Problem('variables-missing', `${why}: ${what}`, { missing: missing.unknown });
  }
  await refuseOtherBuildValues(effect, keyring, promotion, source, target);
  const { content, imageRef, platforms, buildId, gitCommitSha } = source;
  const composed = await composeApplied(
    effect,
    keyring,
    promotion,
    { name: service, settings },
    resolved,
    { image: content.image, imageRef, platforms, file: content.file },
    {
      ...(buildId === null ? {} : { buildId }),
      ...(gitCommitSha === null ? {} : { gitCommitSha }),
      promotedFromReleaseId: promotion.releaseId,
    },
  );
  const known = `The image of release #${source.number} of "${service}" is`;
  if (await isUnderWay(effect, promotion, composed.contentDigest))
    throw new Problem('conflict', `${known} being deployed to "${environment}" already: wait for that.`);
  if (composed.contentDigest === target.liveDigest) {
    throw new Problem(
      'conflict',
      `${known} live in "${environment}" already, with these settings: redeploy it there to replace its instances.`,
    );
  }
  const release = { id: composed.id, organizationId, projectId, environmentId, serviceId };
  const { number, environment: from } = source;
  const requested = await requestDeployment(effect, keyring, release, {
    ...asked,
    kind: 'promote',
    promotedFrom: { releaseId: promotion.releaseId, number, environment: from, missing: missing.unknown },
    reliedOn: resolved.reliedOn,
  });
  return { ...requested, releaseId: composed.id };
}

interface Source {
  number: number;
  content: ReleaseContent;
  imageRef: string;
  platforms: ImagePlatform[] | null;
  variableKeys: string[];
  buildId: string | null;
  gitCommitSha: string | null;
  environment: string;
}

async function sourceOf({ kysely }: Effect, { organizationId, serviceId, releaseId }: Promotion): Promise<Source> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .select(['release.number', 'release.content', 'release.image_ref as imageRef', 'release.build_id as buildId'])
    .select(['release.image_platforms as platforms', 'release.variable_keys as variableKeys'])
    .select(['release.git_commit_sha as gitCommitSha', 'release.retired_at as retiredAt'])
    .select('environment.name as environment')
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

interface Target {
  service: string;
  environment: string;
  /** As applied, with a source that stands for the promoted image. */
  settings: ServiceSettings;
  liveDigest: string | null;
}

async function targetOf(effect: Effect, promotion: Promotion, { content, imageRef }: Source): Promise<Target> {
  const { organizationId, serviceId, environmentId } = promotion;
  const row = await tenant(effect.kysely, organizationId)
    .selectFrom('service')
    .innerJoin('environment', 'environment.project_id', 'service.project_id')
    .leftJoin('environment_service as place', (join) =>
      join.onRef('place.service_id', '=', 'service.id').onRef('place.environment_id', '=', 'environment.id'),
    )
    .leftJoin('release as live', 'live.id', 'place.live_release_id')
    .select(['service.name as service', 'environment.name as environment', 'place.settings'])
    .select('live.content_digest as liveDigest')
    .where('service.id', '=', serviceId)
    .where('environment.id', '=', environmentId)
    .where('service.deletion_id', 'is', null)
    .where('environment.deletion_id', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'The service or the environment was deleted.');
  const { service, environment, settings, liveDigest } = row;
  if (settings === null) {
    throw new Problem(
      'conflict',
      `"${service}" is not in "${environment}": add it there and apply that, then promote again.`,
    );
  }
  if (Object.keys(settings.processes).length === 0) {
    throw new Problem(
      'conflict',
      `"${service}" has no process in "${environment}": create one and apply that, then promote again.`,
    );
  }
  const today = await lastImage(effect.kysely, promotion, settings);
  const source = isDeepStrictEqual(today?.image, content.image)
    ? settings.source
    : pinnedSource(settings.source, content.image, imageRef);
  return { service, environment, settings: { ...settings, source }, liveDigest };
}

/** Whether the same content waits for its turn or rolls there; one that is held is superseded instead. */
async function isUnderWay({ kysely }: Effect, promotion: Promotion, contentDigest: string): Promise<boolean> {
  const same = await tenant(kysely, promotion.organizationId)
    .selectFrom('deployment')
    .innerJoin('release', 'release.id', 'deployment.release_id')
    .select('deployment.id')
    .where('deployment.environment_id', '=', promotion.environmentId)
    .where('deployment.service_id', '=', promotion.serviceId)
    .where('deployment.finished_at', 'is', null)
    .where('deployment.cancel_requested_at', 'is', null)
    .where(sql<boolean>`deployment.waits_for is distinct from 'approval'`)
    .where('release.content_digest', '=', contentDigest)
    .limit(1)
    .executeTakeFirst();
  return same !== undefined;
}
