import { Problem } from '../../../domain/problems.ts';
import { shown } from '../../../domain/references/names.ts';
import { auditDraft, lockDraft, raiseRevision } from '../../change-sets/drafts.ts';
import type { EnvironmentRef } from '../../change-sets/environment-ref.ts';
import { deleteItems, draftItems } from '../../change-sets/items.ts';
import { deleteThing } from '../../deletions/things/hide.ts';
import { admit, lockAdmission } from '../../deployments/admission.ts';
import { withdraw } from '../../deployments/withdraw.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { lockService, recordService, type ServiceView } from '../services.ts';
import { type DeletionImpact, deletionImpact, describeService, type HeldApproval } from './impact.ts';

/** Every reason for which a service cannot be deleted yet: those who need it, and decisions that it shares with others. */
function refuseReferenced({ name }: ServiceView, { dependents, references, heldWith }: DeletionImpact): void {
  if (references.length > 0) throw referredTo(name, references);
  if (dependents.length > 0) {
    const names = dependents.map((one) => {
      const where = one.environments.length === 0 ? '' : ` (in ${one.environments.join(', ')})`;
      return `"${one.name}"${where}`;
    });
    throw new Problem(
      'conflict',
      `"${name}" is needed by ${names.join(', ')}: take it out of their dependencies, and apply that, first.`,
    );
  }
  if (heldWith.length === 0) return;
  const held = heldWith.map(({ id, environmentName }) => `${id} (${environmentName})`);
  throw new Problem(
    'conflict',
    `Changes of "${name}" wait together with others for the approval ${held.join(', ')}: decide it first.`,
  );
}

function referredTo(name: string, references: DeletionImpact['references']): Problem {
  const ends = references.map(
    (one) => `${shown(one.variable)} refers to ${shown(one.refersTo)} (in ${one.environmentName})`,
  );
  const listed = ends.slice(0, 5).join('; ');
  const more = ends.length > 5 ? `; and ${ends.length - 5} more` : '';
  return new Problem(
    'conflict',
    `"${name}" is still referred to: ${listed}${more}. Change these variables, and apply that, first.`,
  );
}

interface ServiceDeletion {
  /** Refuses who may not do all of it. */
  check: (impact: DeletionImpact) => void;
  /** Rollouts that have begun may end; else they are asked to cancel. */
  wait: boolean;
}

/**
 * Deletes a service everywhere at once: nobody finds it any more, its slug is free, nothing of it is staged or held, and
 * nothing new of it starts. Its rows and volumes stay until its retention has passed. Its workload is removed at once, or with the end of the
 * deployment that rolls there. False: somebody else has deleted it.
 */
export async function deleteService(
  effect: Effect,
  service: ServiceView,
  { check, wait }: ServiceDeletion,
): Promise<boolean> {
  const { id, organizationId, projectId } = service;
  await lockAdmission(effect, service);
  if ((await lockService(effect, service)) === undefined) return false;
  const places = await lockDrafts(effect, service);
  const impact = await deletionImpact(effect.kysely, service);
  check(impact);
  refuseReferenced(service, impact);
  for (const approval of impact.approvals) await closeHeld(effect, service, approval);
  let dropped = 0;
  for (const place of places) dropped += await dropItems(effect, place, id);
  const { deletionId, restoreUntil } = await deleteThing(effect, {
    ...{ organizationId, projectId, kind: service.template === null ? 'service' : 'database', subjectId: id },
    ...{ name: service.name, slug: service.slug },
    ...(await describeService(effect.kysely, service, impact)),
  });
  for (const { environmentId } of places) {
    await withdraw(effect, { organizationId, projectId, environmentId, serviceId: id }, { wait });
    effect.change({ organizationId, kind: 'environment', id: environmentId, projectId });
  }
  const { environments, deployments, approvals } = impact;
  recordService(effect, 'service.deleted', service, {
    deletionId,
    restoreUntil: restoreUntil.toISOString(),
    environments: environments.map(({ name }) => name),
    deployments: deployments.length,
    approvals: approvals.length,
    stagedChanges: dropped,
  });
  return true;
}

/** In the order in which everybody locks the drafts of a project. */
async function lockDrafts(effect: Effect, { organizationId, projectId }: ServiceView): Promise<EnvironmentRef[]> {
  const environments = await tenant(effect.kysely, organizationId)
    .selectFrom('environment')
    .select('id')
    .where('project_id', '=', projectId)
    .where('deletion_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const places = environments.map(({ id: environmentId }) => ({ organizationId, environmentId }));
  for (const place of places) await lockDraft(effect, place);
  return places;
}

/** That of a deployment closes with its deployment. The changes of a held change set return to their draft first. */
async function closeHeld(effect: Effect, project: ServiceView, { id, changeSetId }: HeldApproval): Promise<void> {
  if (changeSetId === null) return;
  const by = { id: effect.author.id, name: effect.author.name };
  await admit(effect, project, { event: 'decide', approvalId: id, decision: 'cancelled', by });
}

async function dropItems(effect: Effect, place: EnvironmentRef, serviceId: string): Promise<number> {
  const draft = await lockDraft(effect, place);
  const items = (await draftItems(effect.kysely, place, draft.id)).filter((item) => item.service_id === serviceId);
  if (items.length === 0) return 0;
  const ids = items.map(({ id }) => id);
  await deleteItems(effect.kysely, place.organizationId, ids);
  await raiseRevision(effect, place, draft);
  const labels = items.map(({ label }) => label);
  auditDraft(effect, place, 'unstaged', draft, labels);
  return items.length;
}
