import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import { decideApproval } from '../approvals/decide.ts';
import { cancelBuild } from '../builds/cancel-build.ts';
import { openBuildsOf } from '../builds/of-change-set.ts';
import { admit, lockAdmission } from '../deployments/admission.ts';
import type { Effect } from '../engine/effect.ts';
import type { Seals } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { ReleaseKeys } from '../releases/compose.ts';
import type { AppliedSet } from './after/applied-set.ts';
import { type Applied, type ApplyTarget, applyPlan, type Images } from './apply/apply-draft.ts';
import { planChanges } from './apply/plan.ts';
import type { ApplyRequest } from './apply/request.ts';
import { tellOfDraft } from './drafts.ts';

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

/**
 * Deploys again what of a change set did not go live, with the settings as they are: a change set of its own, which leaves
 * alone what is staged.
 */
export async function retryChangeSet(
  effect: Effect,
  keyring: ReleaseKeys,
  changeSet: AppliedSet,
  place: ApplyTarget,
  images: Images,
  asked: Omit<ApplyRequest, 'changeSetId' | 'deployServiceIds' | 'expectedRevision'>,
): Promise<Applied & { changeSetId: string }> {
  await lockAdmission(effect, place);
  const deployServiceIds = await servicesToRetry(effect.kysely, changeSet);
  const changeSetId = uuid();
  const plan = await planChanges(effect.kysely, place, changeSetId, deployServiceIds);
  const applied = await applyPlan(effect, keyring, place, images, { ...asked, changeSetId, deployServiceIds }, plan);
  effect.tell({ start: 'change-set', id: changeSetId, organizationId: place.organizationId });
  return { ...applied, changeSetId };
}

/** The services of a change set that did not go live and that nobody has deployed since, in their order. */
export async function servicesToRetry(
  kysely: Kysely<Tables>,
  { id, organizationId, state, appliedAt }: AppliedSet,
): Promise<string[]> {
  if (state === 'draft') throw new Problem('conflict', 'The changes are staged, not applied: apply them instead.');
  if (state === 'held' || state === 'applying') {
    throw new Problem('conflict', 'The change set has not ended: wait for it, or cancel it first.');
  }
  if (appliedAt === null) {
    throw new Problem('conflict', `The change set is ${state}, and its changes are staged again: apply these instead.`);
  }
  const { rows } = await sql<{ serviceId: string }>`
    select distinct deployment.service_id as "serviceId"
    from deployment
    join environment_service place on place.organization_id = deployment.organization_id
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    join service on service.organization_id = deployment.organization_id and service.id = deployment.service_id
      and service.deletion_id is null
    where deployment.organization_id = ${organizationId} and deployment.change_set_id = ${id}
      and deployment.state in ('failed', 'cancelled') and not exists (
        select from deployment later where later.organization_id = deployment.organization_id
          and later.environment_id = deployment.environment_id and later.service_id = deployment.service_id
          and later.admission_order > deployment.admission_order
          and (later.finished_at is null or later.state = 'live'))
    union
    select build.service_id from build
    join environment_service place on place.organization_id = build.organization_id
      and place.environment_id = build.environment_id and place.service_id = build.service_id
    join service on service.organization_id = build.organization_id and service.id = build.service_id
      and service.deletion_id is null
    where build.organization_id = ${organizationId} and build.change_set_id = ${id}
      and build.finished_at is not null and build.deployment_id is null and not exists (
        select from deployment later where later.organization_id = build.organization_id
          and later.environment_id = build.environment_id and later.service_id = build.service_id
          and later.created_at > build.created_at
          and (later.finished_at is null or later.state = 'live'))
  `.execute(kysely);
  if (rows.length === 0) {
    throw new Problem(
      'conflict',
      'Nothing of the change set is left to retry: its services are live, were deployed again since, or have left the environment.',
    );
  }
  return rows.map(({ serviceId }) => serviceId);
}
