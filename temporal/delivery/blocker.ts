import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../db/postgres/tables.ts';
import { actorOf, descriptors } from '../../workflows/descriptors.ts';

/** Sets or clears (null) the reason why an actor is blocked, and hints at the change, in one statement. */
export async function setBlocker(kysely: Kysely<Tables>, actorId: string, blocker: string | null): Promise<void> {
  const actor = actorOf(actorId);
  if (!actor) return;
  const { table, hint } = descriptors[actor.kind];
  await sql`
    with changed as (
      update ${sql.table(table)} set blocker = ${blocker}
      where id = ${actor.rowId} and finished_at is null and blocker is distinct from ${blocker}
      returning organization_id, id
    )
    insert into change_feed (organization_id, kind, subject_id) select organization_id, ${hint}, id from changed
  `.execute(kysely);
}
