import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import { pinnedSource } from '../../../domain/services/image-reference.ts';
import type { ServiceSettings } from '../../../domain/services/settings.ts';
import { imageOf, lastImage } from '../../change-sets/apply/resolved-image.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { ReleaseKeys } from '../../releases/compose.ts';
import { appliedFor, composeApplied } from '../../releases/compose-applied.ts';
import { lockAdmission } from '../admission.ts';
import { requestDeployment } from '../request-deployment.ts';
import { type Promoted, type Promotion, type Source, sourceOf, type Target, targetOf, type Wish } from './places.ts';
import { type Changes, promoteWithChanges } from './promote-with-changes.ts';
import { refuseMissing, refuseOtherBuildValues } from './variables.ts';

/**
 * Composes a release of the target: the image is that of the other release, to the byte; settings and variables are those
 * that are applied there. What is staged there stays staged. In production it is held until somebody approves it. `changes`: where the
 * target lacks the service it is added, and variables that are given are set, as one change set.
 */
export async function promote(
  effect: Effect,
  keyring: ReleaseKeys,
  promotion: Promotion,
  { missingAccepted, ...asked }: Wish,
  changes?: Changes,
): Promise<Promoted> {
  const { organizationId, projectId, serviceId, environmentId } = promotion;
  await lockAdmission(effect, { organizationId, projectId });
  const source = await sourceOf(effect, promotion);
  const found = await targetOf(effect, promotion);
  if (changes !== undefined && (found.settings === null || changes.variables.length > 0)) {
    const places = { source, target: found };
    return await promoteWithChanges(effect, keyring, promotion, places, { missingAccepted, ...asked }, changes);
  }
  const target = { ...found, settings: await settingsThere(effect, promotion, source, found) };
  const { settings, service } = target;
  const resolved = await appliedFor(effect, keyring, promotion);
  const files = settings.files.map(({ variable }) => variable);
  const missing = await refuseMissing(effect.kysely, promotion, {
    ...{ source, target, files, missingAccepted },
    missing: [...new Set([...files, ...source.variableKeys])].filter((key) => !resolved.variables.has(key)),
  });
  await refuseOtherBuildValues(effect, keyring, promotion, source, target);
  const image = imageOf(source);
  const composed = await composeApplied(effect, keyring, promotion, { name: service, settings }, resolved, image, {
    ...image.made,
    promotedFromReleaseId: promotion.releaseId,
  });
  const known = `The image of release #${source.number} of "${service}" is`;
  if (await isUnderWay(effect, promotion, composed.contentDigest))
    throw new Problem('conflict', `${known} being deployed to "${target.environment}" already: wait for that.`);
  if (composed.contentDigest === target.liveDigest) {
    throw new Problem(
      'conflict',
      `${known} live in "${target.environment}" already, with these settings: redeploy it there to replace its instances.`,
    );
  }
  const release = { id: composed.id, organizationId, projectId, environmentId, serviceId };
  const { number, environment: from } = source;
  const requested = await requestDeployment(effect, keyring, release, {
    ...asked,
    kind: 'promote',
    promotedFrom: { releaseId: promotion.releaseId, number, environment: from, missing },
    reliedOn: resolved.reliedOn,
  });
  return { ...requested, releaseId: composed.id };
}

/** As applied, with a source that stands for the promoted image. */
async function settingsThere(
  effect: Effect,
  promotion: Promotion,
  { content, imageRef }: Source,
  { settings, service, environment }: Target,
): Promise<ServiceSettings> {
  if (settings === null)
    throw new Problem('conflict', `"${service}" has left "${environment}": promote it there anew, which adds it.`);
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
  return { ...settings, source };
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
