import { sql } from 'kysely';
import { admit, lockAdmission, type ProjectRef } from '../deployments/admission.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';

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
