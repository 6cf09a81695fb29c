import { type Kysely, sql } from 'kysely';
import type { JsonObject } from '../../postgres/json.ts';
import type { Tables } from '../../postgres/tables.ts';

export interface LivingProcess {
  id: string;
  kind: 'api' | 'worker' | 'identity';
  version: string;
  state: JsonObject;
  startedAt: Date;
  seenAt: Date;
}

/** How long after its last beat a process still counts as living. */
export const livingSeconds = 20;

/** A process that was silent for longer was not there meanwhile, though it may be the same one. */
const presentSeconds = 15;

/**
 * Says that the process lives, and in what state. Also clears away those that have been silent for an hour, except for the worker
 * that served last: since then none has.
 */
export async function beat(
  kysely: Kysely<Tables>,
  process: Pick<LivingProcess, 'id' | 'kind' | 'version' | 'state'>,
): Promise<void> {
  const { id, kind, version, state } = process;
  const serves = kind === 'worker' && state.ready !== false;
  await kysely
    .insertInto('process')
    .values({ id, kind, version, state, served_at: serves ? sql`now()` : null })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        state,
        version,
        seen_at: sql`now()`,
        ...(serves ? { served_at: sql`now()` } : {}),
        present_since: sql`case when process.seen_at < now() - make_interval(secs => ${presentSeconds})
                           then now() else process.present_since end`,
      }),
    )
    .execute();
  await kysely
    .deleteFrom('process')
    .where('seen_at', '<', sql<Date>`now() - interval '1 hour'`)
    .where(sql<boolean>`served_at is distinct from (select max(served_at) from process served)`)
    .execute();
}

export async function livingProcesses(kysely: Kysely<Tables>): Promise<LivingProcess[]> {
  const rows = await kysely
    .selectFrom('process')
    .selectAll()
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${livingSeconds})`)
    .where('ended_at', 'is', null)
    .orderBy('started_at')
    .execute();
  return rows.map(({ id, kind, version, state, started_at, seen_at }) => {
    return { id, kind, version, state, startedAt: started_at, seenAt: seen_at };
  });
}

/** Of a worker the row stays, since what waits for one says since when. */
export async function endProcess(kysely: Kysely<Tables>, id: string): Promise<void> {
  await kysely.updateTable('process').set({ ended_at: sql`now()` }).where('id', '=', id).execute();
}

export async function removeProcess(kysely: Kysely<Tables>, id: string): Promise<void> {
  await kysely.deleteFrom('process').where('id', '=', id).execute();
}
