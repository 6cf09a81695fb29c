import type { ThingKind } from '../../../domain/deletions/kinds.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { type Begun, beginDeletion, type NewDeletion } from '../begin.ts';
import { tableOfThing } from './thing-row.ts';

type Deleted = Omit<NewDeletion, 'kind'> & { kind: ThingKind };

/**
 * Begins the deletion of a thing and hides it: nobody finds a row with a `deletion_id`. A project takes along those of
 * its services and environments that were not deleted before it; they carry its deletion, and come back with it.
 */
export async function deleteThing(effect: Effect, thing: Deleted): Promise<Begun> {
  const begun = await beginDeletion(effect, thing);
  const { organizationId, kind, subjectId } = thing;
  const own = tenant(effect.kysely, organizationId);
  const carries = { deletion_id: begun.deletionId };
  if (kind !== 'left-volume')
    await own.updateTable(tableOfThing[kind]).set(carries).where('id', '=', subjectId).execute();
  if (kind === 'project') {
    for (const table of ['service', 'environment'] as const) {
      await own
        .updateTable(table)
        .set(carries)
        .where('project_id', '=', subjectId)
        .where('deletion_id', 'is', null)
        .execute();
    }
  }
  return begun;
}

/** All that carries a deletion carries another one from now on, or none. */
export async function carryInstead(
  effect: Effect,
  organizationId: string,
  { from, to }: { from: string; to: string | null },
): Promise<void> {
  const own = tenant(effect.kysely, organizationId);
  for (const table of ['project', 'environment', 'service', 'volume'] as const) {
    await own.updateTable(table).set({ deletion_id: to }).where('deletion_id', '=', from).execute();
  }
  const left = own.updateTable('left_volume').set({ deletion_id: to ?? from });
  await left.where('deletion_id', '=', from).execute();
}
