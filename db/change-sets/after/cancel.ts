import { Problem } from '../../../domain/problems.ts';
import { decideApproval } from '../../approvals/decide.ts';
import { cancelBuild } from '../../builds/cancel-build.ts';
import { openBuildsOf } from '../../builds/of-change-set/open-builds.ts';
import { admit, lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import { tenant } from '../../postgres/tenant.ts';
import { tellOfDraft } from '../drafts.ts';
import type { AppliedSet } from './applied-set.ts';

type Seals = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

/**
 * Cancels what is left of a change set. Held, its changes return to the draft. Of one that is applying, deployments and builds that wait
 * end at once and those that roll are asked to end; its actor ends it by what went live. Answers how many were cancelled.
 */
export async function cancelChangeSet(
  effect: Effect,
  keyring: Seals,
  { id, organizationId, projectId, environmentId }: AppliedSet,
  by: { id: string; name: string },
): Promise<number> {
  const project = { organizationId, projectId };
  await lockAdmission(effect, project);
  const row = await tenant(effect.kysely, organizationId)
    .selectFrom('change_set')
    .select(['state', 'approval_id as approvalId'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('conflict', 'The changes are staged, not applied: discard them instead.');
  const open = await openDeployments(effect, organizationId, id);
  if (row.state === 'held' && row.approvalId !== null) {
    await decideApproval(effect, keyring, { id: row.approvalId, ...project }, { decision: 'cancelled', by });
    return open.length;
  }
  if (row.state !== 'applying') throw new Problem('already-decided', `The change set has ended: it is ${row.state}.`);
  let asked = 0;
  for (const deploymentId of open) {
    const decision = await admit(effect, project, { event: 'cancel', id: deploymentId, because: 'person' });
    if (!('refused' in decision)) asked += 1;
  }
  for (const { id: buildId, name } of await openBuildsOf(effect, project, id)) {
    await cancelBuild(effect, buildId, name);
    asked += 1;
  }
  if (asked === 0) {
    throw new Problem(
      'already-decided',
      'Nothing of the change set can be cancelled any more: its releases serve, or its deployments have ended. Revert it instead.',
    );
  }
  tellOfDraft(effect, { organizationId, environmentId }, { projectId });
  return asked;
}

async function openDeployments({ kysely }: Effect, organizationId: string, changeSetId: string): Promise<string[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .select('id')
    .where('change_set_id', '=', changeSetId)
    .where('finished_at', 'is', null)
    // In reverse: those that wait for a slot end first, so that none begins in the place of another that is cancelled.
    .orderBy('admission_order', 'desc')
    .execute();
  return rows.map(({ id }) => id);
}
