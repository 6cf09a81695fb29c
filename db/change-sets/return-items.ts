import { sql } from 'kysely';
import type { ChangeSetState } from '../../domain/change-sets/items.ts';
import { displaced } from '../../domain/change-sets/staging.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { lockDraft, raiseRevision } from './drafts.ts';
import { deleteItems, draftItems, type ItemRow } from './items.ts';

/**
 * Ends a held change set that will not be applied, and gives its items back to the environment's draft: no change is
 * lost. Those that were staged anew meanwhile win. Whoever calls it holds the lock of the project's admission.
 */
export async function returnItems(
  effect: Effect,
  organizationId: string,
  changeSetId: string,
  state: Extract<ChangeSetState, 'rejected' | 'expired' | 'cancelled'>,
): Promise<void> {
  const ended = await effect.kysely
    .updateTable('change_set')
    .set({ state, finished_at: sql`now()`, revision: sql`revision + 1` })
    .where('id', '=', changeSetId)
    .where('organization_id', '=', organizationId)
    .where('state', '=', 'held')
    .returning('environment_id as environmentId')
    .executeTakeFirst();
  if (ended === undefined) return;
  const place = { organizationId, environmentId: ended.environmentId };
  const draft = await lockDraft(effect, place);
  const staged = (await draftItems(effect.kysely, place, draft.id)).map(subjectOf);
  const returning = (await draftItems(effect.kysely, place, changeSetId)).map(subjectOf);
  const replaced = new Set(staged.flatMap((one) => displaced(returning, one).map(({ id }) => id)));
  await deleteItems(effect.kysely, organizationId, [...replaced]);
  const revision = await raiseRevision(effect, place, draft);
  await tenant(effect.kysely, organizationId)
    .updateTable('change_set_item')
    .set({ change_set_id: draft.id, revision })
    .where('change_set_id', '=', changeSetId)
    .execute();
}

function subjectOf(row: ItemRow) {
  const { id, kind, slot, key, service_id: serviceId, process_id: processId, volume_id: volumeId } = row;
  return { id, kind, slot, key, serviceId, processId, volumeId };
}
