import { sql } from 'kysely';
import { discardDraft } from '../../change-sets/draft/unstage.ts';
import { lockDraft } from '../../change-sets/drafts.ts';
import { draftItems } from '../../change-sets/items.ts';
import { admit } from '../../deployments/admission.ts';
import { withdraw } from '../../deployments/withdraw.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';

export interface Place {
  organizationId: string;
  projectId: string;
  environmentId: string;
}

/** Closes what waits for a decision there, and discards what is staged. Answers how many changes. Before it is hidden. */
export async function closeDraft(effect: Effect, place: Place): Promise<number> {
  const { organizationId, environmentId } = place;
  await lockDraft(effect, place);
  const held = await tenant(effect.kysely, organizationId)
    .selectFrom('approval')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where('decision', 'is', null)
    .where('change_set_id', 'is not', null)
    .where('deployment_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const by = { id: effect.author.id, name: effect.author.name };
  for (const { id } of held) await admit(effect, place, { event: 'decide', approvalId: id, decision: 'cancelled', by });
  const draft = await lockDraft(effect, place);
  const items = await draftItems(effect.kysely, place, draft.id);
  await discardDraft(effect, place, draft.id);
  return items.length;
}

/** Ends every service there: deployments are cancelled or waited for, and nothing is wanted on the cluster. Once it is hidden. */
export async function stopServices(effect: Effect, place: Place, { wait }: { wait: boolean }): Promise<void> {
  const { organizationId, environmentId } = place;
  const { rows } = await sql<{ id: string }>`
    select service_id as id from environment_service
    where organization_id = ${organizationId} and environment_id = ${environmentId}
    union select service_id from deployment
    where organization_id = ${organizationId} and environment_id = ${environmentId} and finished_at is null
    order by id
  `.execute(effect.kysely);
  for (const { id: serviceId } of rows) await withdraw(effect, { ...place, serviceId }, { wait });
}
