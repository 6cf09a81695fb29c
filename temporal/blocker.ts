import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { actorKinds, parseActorId } from '../domain/actors.ts';

/** Says in the actor's row why it does not move; null takes that back. */
export async function setBlocker(kysely: Kysely<Tables>, actorId: string, blocker: string | null): Promise<void> {
  const actor = parseActorId(actorId);
  if (!actor) return;
  await kysely
    .updateTable(actorKinds[actor.kind].table)
    .set({ blocker })
    .where('id', '=', actor.rowId)
    .where('finished_at', 'is', null)
    .execute();
}
