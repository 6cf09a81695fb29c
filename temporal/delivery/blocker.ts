import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';
import { hintColumn } from '../../domain/actors/actors.ts';
import { actorOf, descriptors } from '../../workflows/descriptors.ts';

/** Sets or clears (null) the reason why an actor is blocked, and hints at the change, in one statement. */
export async function setBlocker(kysely: Kysely<Tables>, actorId: string, blocker: string | null): Promise<void> {
  const actor = actorOf(actorId);
  if (!actor) return;
  const descriptor = descriptors[actor.kind];
  const { table, hint } = descriptor;
  const told = sql.ref(hintColumn(descriptor));
  await sql`
    with changed as (
      update ${sql.table(table)} set blocker = ${blocker}
      where id = ${actor.rowId} and finished_at is null and blocker is distinct from ${blocker}
      returning organization_id, ${told}::text as subject_id
    )
    insert into change_feed (organization_id, kind, subject_id) select organization_id, ${hint}, subject_id from changed
  `.execute(kysely);
}
