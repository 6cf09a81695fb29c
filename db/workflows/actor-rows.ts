import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  ActorDescriptor,
  ActorInput,
  PlainRow,
  RowSays,
  WorkflowEnd,
} from '../../domain/actors/actor-descriptor.ts';
import { columnOf } from '../../domain/actors/actors.ts';
import { isId } from '../../domain/ids.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';
import type { Projected } from '../engine/projection.ts';
import type { Tables } from '../postgres/tables.ts';
import { hasWords } from '../search/finder.ts';

export interface ActorPosition {
  createdAt: Date;
  id: string;
}

export interface ActorFilter {
  open?: boolean | undefined;
  /** Only what is stuck. */
  stuck?: boolean | undefined;
  /** Only what ended so. */
  ends?: WorkflowEnd | undefined;
  /** The id of the thing that it is about. */
  subjectId?: string | undefined;
  /** The id of the person, token or part that requested it. */
  requestedBy?: string | undefined;
  /** Words of its title or its id. */
  q?: string | undefined;
  /** Not over before this time. */
  from?: Date | undefined;
  /** Begun before this time. */
  until?: Date | undefined;
}

/** The condition on the rows of one kind, beside their organization. */
export function narrowed(kind: ActorKind, organizationId: string, filter: ActorFilter): RawBuilder<unknown> {
  const { ends, subjectId, requestedBy, from, until, q } = filter;
  const all: RawBuilder<unknown>[] = [sql`true`];
  if (ends !== undefined) {
    const states = Object.entries(descriptors[kind].ends).flatMap(([state, end]) => (end === ends ? [state] : []));
    all.push(sql`actor.state = any(${states}::text[])`);
  }
  if (subjectId !== undefined) all.push(sql`${subjectIdOf(kind)} = ${subjectId}::uuid`);
  if (requestedBy !== undefined) {
    const { row }: ActorDescriptor = descriptors[kind];
    const recorded = sql`exists (
      select from audit_record
      where audit_record.organization_id = ${organizationId} and audit_record.workflow_id = actor.id
        and audit_record.actor_id = ${requestedBy}
    )`;
    all.push(row.requested ? sql`(actor.requested_by_id = ${requestedBy} or ${recorded})` : recorded);
  }
  if (from !== undefined) all.push(sql`(actor.finished_at is null or actor.finished_at >= ${from})`);
  if (q !== undefined) all.push(called(kind, organizationId, q));
  if (until !== undefined) all.push(sql`actor.created_at < ${until}`);
  return sql.join(all, sql` and `);
}

/**
 * The condition that each word is in the title, or that it is the id. Words of every title of the kind need no look at the
 * rows. A name is its subject's, and subjects are few where workflows are many: those are sought first, and once.
 */
function called(kind: ActorKind, organizationId: string, q: string): RawBuilder<unknown> {
  const { table, row, words } = descriptors[kind];
  const title = words.title('').toLowerCase();
  const rest = q.split(/\s+/).filter((word) => !title.includes(word.toLowerCase()));
  if (rest.length === 0) return sql`true`;
  const named = hasWords(rest.join(' '), [sql.raw(row.name)]);
  const subject = subjectIdOf(kind);
  const found =
    row.join === undefined
      ? named
      : sql`${subject} = any(array(
          select distinct ${subject} from ${sql.table(table)} as actor ${sql.raw(row.join)}
          where actor.organization_id = ${organizationId} and ${named}))`;
  const [id] = rest;
  return rest.length === 1 && id !== undefined && isId(id) ? sql`(actor.id = ${id} or ${found})` : found;
}

/** SQL: the id of the thing that the row is about. */
export function subjectIdOf(kind: ActorKind): RawBuilder<unknown> {
  const { belongsTo, row } = descriptors[kind];
  return sql.raw(row.subjectId ?? (belongsTo === null ? 'actor.id' : `actor.${columnOf(belongsTo)}`));
}

export function behind(after: ActorPosition | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql`true`;
  return sql`("createdAt", id) < (${after.createdAt}, ${after.id}::uuid)`;
}

/** An actor's row and the input that it amounts to. */
interface ActorStart {
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
