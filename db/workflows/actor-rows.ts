import { type Kysely, sql } from 'kysely';
import type { ActorInput, PlainRow, RowSays } from '../../domain/actors/actor-descriptor.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';
import type { Projected } from '../engine/projection.ts';
import type { Tables } from '../postgres/tables.ts';

/** An actor's row and the input that it amounts to. */
export interface ActorStart {
  organizationId: string;
  state: string;
  revision: number;
  finished: boolean;
  input: ActorInput;
}

/** The row of an actor as its input, read now: the same whether it is started first or again. */
export async function actorStart(
  kysely: Kysely<Tables>,
  kind: ActorKind,
  rowId: string,
): Promise<ActorStart | undefined> {
  const { table, input } = descriptors[kind];
  const { rows } = await sql<PlainRow>`
    select actor.* ${sql.raw(input.columns === undefined ? '' : `, ${input.columns}`)}
    from ${sql.table(table)} as actor ${sql.raw(input.join ?? '')}
    where actor.id = ${rowId}
  `.execute(kysely);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    organizationId: String(row.organization_id),
    state: String(row.state),
    revision: Number(row.revision),
    finished: row.finished_at !== null,
    input: input.from(row),
  };
}

/** The answer to an actor that knows its row up to `revision`. */
export async function rowSays(
  kysely: Kysely<Tables>,
  kind: ActorKind,
  rowId: string,
  revision: number,
): Promise<RowSays> {
  const row = await actorStart(kysely, kind, rowId);
  if (row === undefined) return { state: descriptors[kind].gone, over: true };
  if (row.finished) return { state: row.state, over: true };
  return row.revision > revision ? { state: row.state, ahead: row.input } : { state: row.state };
}

/** The answer to an actor that wrote its state: what it wrote, or what it has to obey, which is at its revision or above. */
export async function answerTo(
  kysely: Kysely<Tables>,
  kind: ActorKind,
  rowId: string,
  written: { state: string; revision: number },
  { result }: Projected,
): Promise<RowSays> {
  if (result === 'written') return { state: written.state };
  return await rowSays(kysely, kind, rowId, written.revision - 1);
}

/** The ids of an organization's rows of one kind that are not final. */
export async function openActors(kysely: Kysely<Tables>, kind: ActorKind, organizationId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(descriptors[kind].table)}
    where organization_id = ${organizationId} and finished_at is null
  `.execute(kysely);
  return rows.map(({ id }) => id);
}
