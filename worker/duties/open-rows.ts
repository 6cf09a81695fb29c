import { sql } from 'kysely';
import { poisonedAfter } from '../../db/engine/outbox.ts';
import type { Database } from '../../db/postgres/database.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';

export interface OpenRow {
  kind: ActorKind;
  id: string;
  organizationId: string;
  state: string;
  blocker: string | null;
  /** Younger than the grace: its start may be on its way. */
  young: boolean;
}

const page = 1_000;
const lowestId = '00000000-0000-0000-0000-000000000000';

/** All rows of one kind that are not final, in the order of their ids. */
export async function openRows({ kysely }: Database, kind: ActorKind, graceSeconds: number): Promise<OpenRow[]> {
  const open: OpenRow[] = [];
  for (let after = lowestId; ; ) {
    const { rows } = await sql<OpenRow>`
      select ${kind}::text as kind, id, organization_id as "organizationId", state, blocker,
             created_at >= now() - make_interval(secs => ${graceSeconds}) as young
      from ${sql.table(descriptors[kind].table)}
      where finished_at is null and id > ${after}
      order by id limit ${page}
    `.execute(kysely);
    open.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return open;
    after = last.id;
  }
}

/**
 * Rows whose state does not show what was decided or has happened, although nothing waits to be told, or what waits stands
 * behind an entry that cannot be told.
 */
export async function unheardRows({ kysely }: Database, kind: ActorKind): Promise<string[]> {
  const { table, row } = descriptors[kind];
  if (row.unheard === undefined) return [];
  const { rows } = await sql<{ id: string }>`
    select actor.id from ${sql.table(table)} as actor ${sql.raw(row.unheard.join ?? '')}
    where actor.finished_at is null and (${sql.raw(row.unheard.where)})
      and not exists (
        select from (
          select attempts from outbox where outbox.actor_id = ${`${kind}/`}::text || actor.id::text order by id limit 1
        ) as oldest
        where oldest.attempts < ${poisonedAfter}
      )
    order by actor.id limit ${page}
  `.execute(kysely);
  return rows.map(({ id }) => id);
}

/** Of actors that run: those whose row is gone, or final for longer than the grace. */
export async function withoutOpenRow(
  { kysely }: Database,
  kind: ActorKind,
  ids: readonly string[],
  graceSeconds: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select given.id from unnest(${ids}::text[]) as given(id)
    left join ${sql.table(descriptors[kind].table)} as actor on actor.id::text = given.id
    where actor.id is null or actor.finished_at < now() - make_interval(secs => ${graceSeconds})
  `.execute(kysely);
  return rows.map(({ id }) => id);
}

/** Whether the actor's start waits in the outbox. */
export async function startWaits({ kysely }: Database, { kind, id }: OpenRow): Promise<boolean> {
  const entry = await kysely
    .selectFrom('outbox')
    .select('id')
    .where('actor_id', '=', actorId(kind, id))
    .where('kind', '=', 'start')
    .executeTakeFirst();
  return entry !== undefined;
}

export async function hasPoisonedEntry({ kysely }: Database, { kind, id }: OpenRow): Promise<boolean> {
  const entry = await kysely
    .selectFrom('outbox')
    .select('id')
    .where('actor_id', '=', actorId(kind, id))
    .where('attempts', '>=', poisonedAfter)
    .executeTakeFirst();
  return entry !== undefined;
}
