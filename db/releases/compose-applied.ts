import { reliedOn } from '../approvals/request.ts';
import { appliedSettings, appliedVariables } from '../change-sets/applied.ts';
import type { PlannedService } from '../change-sets/apply/plan.ts';
import { refuseUnfit } from '../change-sets/apply/refuse-unfit.ts';
import type { ResolvedImage } from '../change-sets/apply/resolved-image.ts';
import type { Effect } from '../engine/effect.ts';
import { referencesWith } from '../references/referring.ts';
import { frozenFor, type ResolvedVariables, scopesFor } from '../references/values.ts';
import { type Composed, type Composition, composeRelease, type ReleaseKeys } from './compose.ts';
import type { ReleasePlace } from './releases.ts';

/** The variables that are applied in an environment, with what they refer to there. */
export async function appliedFor(
  { kysely }: Effect,
  keyring: ReleaseKeys,
  place: ReleasePlace,
): Promise<ResolvedVariables & { reliedOn: string[] }> {
  const settings = await appliedSettings(kysely, place);
  const [references] = await referencesWith(kysely, place, { settings, items: [] });
  const { serviceId } = place;
  const values = await appliedVariables(kysely, keyring, place, scopesFor(references, [serviceId]));
  const resolved = frozenFor(references, values, [serviceId]).get(serviceId) ?? { variables: new Map(), reached: [] };
  return { ...resolved, reliedOn: reliedOn(references, [serviceId]) };
}

/** Composes a release of an image and the settings that are applied. `name`: the service's. */
export async function composeApplied(
  effect: Effect,
  keyring: ReleaseKeys,
  place: ReleasePlace,
  { name, settings }: Pick<PlannedService, 'name' | 'settings'>,
  { variables, reached }: ResolvedVariables,
  image: ResolvedImage,
  made: Pick<Composition, 'buildId' | 'changeSetId' | 'gitCommitSha' | 'promotedFromReleaseId'>,
): Promise<Composed> {
  await refuseUnfit(effect, place, { affected: [{ name, settings, suspended: false, reused: image }] });
  const { organizationId, projectId, environmentId, serviceId } = place;
  return await composeRelease(effect, keyring, {
    ...{ organizationId, projectId, environmentId, serviceId, settings, variables, reached, ...image },
    ...made,
  });
}
