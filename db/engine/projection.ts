import { type Kysely, sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { type ActorKind, type TableOf, tableOf } from '../../workflows/descriptors.ts';
import type { Alarm } from '../postgres/database.ts';
import type { Tables } from '../postgres/tables.ts';

type RowOf<K extends ActorKind> = Tables[TableOf<K>];

/** The state that an actor writes to its row. */
export interface Projection<K extends ActorKind> {
  state: Selected<RowOf<K>['state']>;
  /** Counts the actor's projections; a write with a lower one than the row's is late and does nothing. */
  revision: number;
  /** The state is final: nothing changes the row's state after it. */
  finished?: boolean;
  /** The actor ends with it and cannot obey: it counts at the row's own revision, too. */
  last?: boolean;
  set?: ProjectedColumns<K>;
}

/** The columns an actor may set beside its state. */
export type ProjectedColumns<K extends ActorKind> = Partial<{
  [Column in Exclude<keyof RowOf<K>, GuardedColumn>]: Selected<RowOf<K>[Column]>;
}>;
type GuardedColumn = 'id' | 'organization_id' | 'state' | 'revision' | 'finished_at' | 'archived_at' | 'created_at';
/** The type of a column when read; Kysely's `Generated` concerns inserts only. */
type Selected<C> = C extends { readonly __select__: infer S } ? S : C;

export interface ActorRow {
  id: string;
  organization_id: string;
  state: string;
  revision: number;
  finished_at: Date | null;
}

export type Projected = { result: 'written' } | { result: 'refused'; row: ActorRow | undefined };

/**
 * Writes an actor's state into its row, guarded: not final, and revision below mine. `refused` carries the row as it is,
 * which the actor obeys. Writing the same state again counts as written, since an activity may run twice. Another state
 * at the same revision is of another history of this actor: Temporal was restored to an older copy, and this one began
 * to differ after it.
 */
export async function project<K extends ActorKind>(
  // The kind is not looked for in here: that leads the compiler through every table, beyond its limit.
  transaction: NoInfer<Kysely<Tables>>,
  kind: K,
  id: string,
  projection: Projection<K>,
  raiseAlarm: (alarm: Alarm) => void,
): Promise<Projected> {
  const table = sql.table(tableOf(kind));
  const { state, revision, finished = false, last = false, set = {} } = projection;
  const assignments = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const written = await sql`
    update ${table}
    set ${sql.join([
      sql`state = ${state}`,
      sql`revision = ${revision}`,
      sql`finished_at = ${finished ? sql`now()` : sql`null::timestamptz`}`,
      ...assignments,
    ])}
    where id = ${id} and finished_at is null
      and (revision < ${revision} or revision = ${revision} and (${last} or state = ${state}))
    returning id
  `.execute(transaction);
  if (written.rows.length > 0) return { result: 'written' };
  const row = await actorRow(transaction, kind, id);
  if (row?.state === state && row.revision === revision && (row.finished_at !== null) === finished) {
    return { result: 'written' };
  }
  if (row?.finished_at === null && row.state !== state) {
    raiseAlarm({
      actorId: actorId(kind, id),
      message:
        `The row of ${actorId(kind, id)} says ${row.state} (revision ${row.revision}) while its actor says ` +
        `${state} (revision ${revision}): compare the row with the workflow's history.`,
    });
  }
  return { result: 'refused', row };
}

export async function actorRow(kysely: Kysely<Tables>, kind: ActorKind, id: string): Promise<ActorRow | undefined> {
  const { rows } = await sql<ActorRow>`
    select id, organization_id, state, revision, finished_at from ${sql.table(tableOf(kind))} where id = ${id}
  `.execute(kysely);
  return rows[0];
}
