import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import type { ApprovalDecision } from '../../../domain/approvals/approvals.ts';
import type { Admission } from '../../../domain/deployments/arbiter-types.ts';
import { returnItems } from '../../change-sets/return-items.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { AdmissionRequest } from './requests.ts';
import type { ProjectRef } from './snapshot.ts';

/** Writes the decision that the event is, and those that follow for other approvals. */
export async function decideApprovals(
  effect: Effect,
  project: ProjectRef,
  { closed }: Admission,
  request: AdmissionRequest,
): Promise<void> {
  if (request.event === 'decide') {
    const { approvalId, decision, by } = request;
    const who =
      by === undefined
        ? {}
        : {
            ...{ decided_by_id: by.id, decided_by_name: by.name, self_approved: by.selfApproved ?? false },
            ...{ broken_glass: by.brokenGlass ?? false, decision_reason: by.reason ?? '' },
          };
    await close(effect, project, [approvalId], { decision, ...who });
  }
  for (const decision of ['superseded', 'cancelled'] as const) {
    const ids = closed.flatMap((one) => (one.decision === decision ? [one.approvalId] : []));
    await close(effect, project, ids, { decision });
  }
}

/**
 * One that was decided before stays as it is. The changes of one that was not approved return to the draft, unless their
 * change set waits for another one by now.
 */
export async function close(
  effect: Effect,
  { organizationId, projectId }: ProjectRef,
  ids: readonly string[],
  set: { decision: ApprovalDecision; decided_by_id?: string },
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tenant(effect.kysely, organizationId)
    .updateTable('approval')
    .set({ ...set, decided_at: sql`clock_timestamp()` })
    .where('id', 'in', ids)
    .where('decision', 'is', null)
    .returning(['id', 'change_set_id'])
    .execute();
  const { decision } = set;
  for (const { id, change_set_id: changeSetId } of rows) {
    effect.change({ organizationId, projectId, kind: 'approval', id });
    if (changeSetId === null || decision === 'approved') continue;
    if (!(await waitsFor(effect, organizationId, changeSetId, id))) continue;
    await returnItems(effect, organizationId, changeSetId, decision === 'superseded' ? 'cancelled' : decision);
    effect.tell({ to: actorId('change-set', changeSetId), message: 'decided', organizationId, body: {} });
  }
}

async function waitsFor(
  { kysely }: Effect,
  organizationId: string,
  changeSetId: string,
  approvalId: string,
): Promise<boolean> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('change_set')
    .select('id')
    .where('id', '=', changeSetId)
    .where('approval_id', '=', approvalId)
    .executeTakeFirst();
  return row !== undefined;
}
