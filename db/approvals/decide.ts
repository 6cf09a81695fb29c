import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { Problem } from '../../domain/problems.ts';
import { decideBuilds } from '../builds/of-change-set.ts';
import { hasImage, type Plan, planChanges } from '../change-sets/apply/plan.ts';
import { writeSettings } from '../change-sets/apply/write.ts';
import { tellOfDraft } from '../change-sets/drafts.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { DecidedBy } from '../deployments/admission/snapshot.ts';
import { admit, lockAdmission, type ProjectRef } from '../deployments/admission.ts';
import { adoptSettings } from '../deployments/restore-settings.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { JsonObject } from '../postgres/json.ts';
import { tenant } from '../postgres/tenant.ts';
import { refuseBuildLeaks } from '../references/build-leaks.ts';
import { refuseAllBroken } from '../references/refuse.ts';
import { notifyOfBreakGlass } from './approvals.ts';
import { basisNow } from './request.ts';

export interface ApprovalRef {
  id: string;
  organizationId: string;
  projectId: string;
}

interface Decided {
  decision: 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** Absent when its time has passed. */
  by?: DecidedBy;
}

/**
 * Decides an approval, once: a second decision is refused by the row. Approved, the settings become the environment's and
 * its deployments pass the gate; else the changes return to the draft.
 */
export async function decideApproval(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret' | 'decryptSecret'>,
  { id, organizationId, projectId }: ApprovalRef,
  { decision, by }: Decided,
): Promise<void> {
  const project = { organizationId, projectId };
  await lockAdmission(effect, project);
  const row = await tenant(effect.kysely, organizationId)
    .selectFrom('approval')
    .innerJoin('environment', 'environment.id', 'approval.environment_id')
    .leftJoin('deployment', 'deployment.id', 'approval.deployment_id')
    .select(['approval.decision', 'approval.change_set_id', 'approval.basis', 'approval.decided_by_name'])
    .select(['approval.kind', 'deployment.kind as deploymentKind'])
    .select(['deployment.release_id as releaseId', 'deployment.service_id as serviceId'])
    .leftJoin('service', 'service.id', 'deployment.service_id')
    .select(['environment.id as environmentId', 'environment.name', 'service.name as service'])
    .select('approval.requested_by_name as requestedBy')
    .where('approval.id', '=', id)
    .forUpdate('approval')
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'There is no such approval.');
  if (row.decision !== null) throw alreadyDecided(row.decision, row.decided_by_name);
  const place = { ...project, environmentId: row.environmentId };
  const { kind, deploymentKind, releaseId, serviceId } = row;
  if (decision === 'approved') {
    const held = { id, organizationId, environmentId: place.environmentId, changeSetId: row.change_set_id };
    if (await isStale(effect, { ...held, basis: row.basis })) throw stale();
    if (row.change_set_id !== null)
      await applyHeld(effect, keyring, place, { changeSetId: row.change_set_id, approvalId: id });
    // To those who decide, a redeployment and a rerun are deployments like others; for settings they mean nothing.
    const means = kind === 'deploy' ? deploymentKind : kind;
    if (releaseId !== null && serviceId !== null && means !== null)
      await adoptSettings(effect, keyring, means, { ...place, id: releaseId, serviceId });
  }
  await admit(effect, project, { event: 'decide', approvalId: id, decision, ...(by === undefined ? {} : { by }) });
  if (row.change_set_id !== null) await decideBuilds(effect, project, row.change_set_id, decision === 'approved');
  if (row.change_set_id !== null && decision === 'approved') {
    effect.tell({ to: actorId('change-set', row.change_set_id), message: 'decided', organizationId, body: {} });
    tellOfDraft(effect, place, place);
  }
  const { brokenGlass = false, selfApproved = false, reason } = by ?? {};
  effect.audit(
    brokenGlass ? 'approval.glass_broken' : 'approval.decided',
    { organizationId, id, name: row.name },
    { decision, ...(reason === undefined ? {} : { reason }), selfApproved },
  );
  if (by === undefined || !brokenGlass) return;
  await notifyOfBreakGlass(effect, organizationId, {
    ...{ approvalId: id, projectId, environmentId: place.environmentId, environment: row.name, kind: row.kind },
    ...(serviceId === null || row.service === null ? {} : { service: { id: serviceId, name: row.service } }),
    ...{ requestedBy: row.requestedBy, brokenBy: by.name, reason: reason ?? '' },
  });
}

function alreadyDecided(decision: string, by: string | null): Problem {
  return new Problem('already-decided', `It is ${decision} already${by === null ? '' : `, by ${by}`}.`);
}

interface HeldApproval extends EnvironmentRef {
  id: string;
  /** Null: it is of one deployment. */
  changeSetId: string | null;
  basis: JsonObject;
}

/** Whether something was deployed or applied since an approval was requested, so that it would show another difference. */
export async function isStale(
  reading: Pick<Effect, 'kysely'>,
  { id, organizationId, environmentId, changeSetId, basis }: HeldApproval,
): Promise<boolean> {
  const place = { organizationId, environmentId };
  if (!isDeepStrictEqual(await basisNow(reading, place, basis), basis)) return true;
  if (changeSetId === null) return false;
  const { plan, digests } = await heldPlan(reading, place, { changeSetId, approvalId: id });
  // A service that came to refer to one of the changed values since has no release among those that are approved.
  return plan.affected.some((one) => !digests.has(one.serviceId) && hasImage(one) && !one.suspended);
}

function stale(): Problem {
  return new Problem(
    'approval-stale',
    'The environment has changed since this approval was requested: another release is live, settings were applied, or a value that it refers to is another one. Refresh it and look at the difference as it is now, or reject it: then its changes return to the draft.',
  );
}

async function applyHeld(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret' | 'decryptSecret'>,
  place: EnvironmentRef & ProjectRef,
  { changeSetId, approvalId }: { changeSetId: string; approvalId: string },
): Promise<void> {
  const { plan, digests } = await heldPlan(effect, place, { changeSetId, approvalId });
  refuseAllBroken(plan.references);
  await refuseBuildLeaks(effect.kysely, place, plan, { settings: plan.applied, items: [] });
  await effect.kysely
    .updateTable('change_set')
    .set({ state: 'applying', applied_at: sql`now()`, revision: sql`revision + 1` })
    .where('id', '=', changeSetId)
    .where('organization_id', '=', place.organizationId)
    .execute();
  await writeSettings(effect, keyring, place, plan, digests);
}

/** The meaning of its changes for the environment as it is now, and the releases that are approved. */
async function heldPlan(
  reading: Pick<Effect, 'kysely'>,
  place: EnvironmentRef,
  { changeSetId, approvalId }: { changeSetId: string; approvalId: string },
): Promise<{ plan: Plan; digests: Map<string, string> }> {
  const digests = await heldDigests(reading, place, approvalId);
  return { plan: await planChanges(reading.kysely, place, changeSetId, [...digests.keys()]), digests };
}

/** The releases that were approved, by service. */
async function heldDigests(
  { kysely }: Pick<Effect, 'kysely'>,
  { organizationId }: EnvironmentRef,
  approvalId: string,
): Promise<Map<string, string>> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .innerJoin('release', 'release.id', 'deployment.release_id')
    .select(['deployment.service_id as serviceId', 'release.content_digest as digest'])
    .where('deployment.approval_id', '=', approvalId)
    .execute();
  return new Map(rows.map(({ serviceId, digest }) => [serviceId, digest]));
}

/** Closes the approval of a change set, or of one deployment, if its time has passed and nobody has decided. */
export async function expireApproval(
  effect: Effect,
  { organizationId, projectId }: ProjectRef,
  of: { column: 'change_set_id' | 'deployment_id'; id: string },
): Promise<void> {
  const project = { organizationId, projectId };
  await lockAdmission(effect, project);
  const overdue = await tenant(effect.kysely, organizationId)
    .selectFrom('approval')
    .select('id')
    .where(of.column, '=', of.id)
    .where('decision', 'is', null)
    .where('expires_at', '<=', sql<Date>`now()`)
    .executeTakeFirst();
  if (overdue === undefined) return;
  await admit(effect, project, { event: 'decide', approvalId: overdue.id, decision: 'expired' });
}
