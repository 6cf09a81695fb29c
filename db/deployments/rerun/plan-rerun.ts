import { isDeepStrictEqual } from 'node:util';
import { keepsApproval, rerunFault, rerunSentence } from '../../../domain/deployments/rerun.ts';
import type { DeploymentStage } from '../../../domain/deployments/states.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../../engine/effect.ts';
import { lockAdmission } from '../admission.ts';
import type { ReleaseToDeploy } from '../request-deployment.ts';
import type { Rerun } from '../rerun.ts';
import { type Original, originalOf } from '../rerun.ts';
import { withReplicasOf } from '../restore-settings.ts';
import { stillApproved } from './still-approved.ts';

/**
 * Looks under the lock of the project whether a deployment can be repeated, and what of it still holds. The rerun itself is
 * requested like any other deployment. `refreshedApprovalId`: holds a rerun of it that this one takes the place of.
 */
export async function planRerun(
  effect: Effect,
  deploymentId: string,
  release: ReleaseToDeploy,
  fromStage: DeploymentStage | undefined,
  refreshedApprovalId?: string,
): Promise<Rerun> {
  const { organizationId } = release;
  await lockAdmission(effect, release);
  const original = await originalOf(effect, { deploymentId, organizationId }, refreshedApprovalId);
  const unapproved = original.held && original.decision !== 'approved';
  const fault = rerunFault({
    ...original,
    ...{ unapproved, fromStage, present: original.settings !== null },
    applied: isApplied(original) || (unapproved && original.as === 'rollback'),
  });
  if (fault !== undefined) throw new Problem('conflict', fault);
  const keeps = keepsApproval(fromStage) && refreshedApprovalId === undefined;
  const approval = keeps ? await stillApproved(effect, release, original) : undefined;
  const said = rerunSentence(original, fromStage, approval?.by);
  return { of: deploymentId, fromStage, as: original.as, said, approval };
}

/** Whether the environment wants this release: its settings are those of the release, or it is live. */
function isApplied({ settings, appliedDigest, digest, content, releaseId, liveReleaseId }: Original): boolean {
  if (settings === null) return false;
  if (liveReleaseId === releaseId) return true;
  if (appliedDigest !== null) return appliedDigest === digest;
  return isDeepStrictEqual(withReplicasOf(content.settings, settings), settings);
}
