import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../../domain/problems.ts';
import { lockAdmission } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import type { Seals } from '../../releases/compose.ts';
import { type Applied, applyPlan, type Images, type Place } from '../apply/apply-draft.ts';
import { planChanges } from '../apply/plan.ts';
import type { ApplyRequest } from '../apply/request.ts';
import type { AppliedSet } from './applied-set.ts';

/**
 * Deploys again what of a change set did not go live, with the settings as they are: a change set of its own, which leaves
 * alone what is staged.
 */
export async function retryChangeSet(
  effect: Effect,
  keyring: Seals,
  changeSet: AppliedSet,
  place: Place,
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
