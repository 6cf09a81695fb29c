import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type DownPart, downPartWords } from '../../../domain/actors/down-part.ts';
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

/** Three beats of a worker that did not come. Shorter than for other parts: people wait for what it does. */
const servingSeconds = 10;

/** The worker's own word in its beat: since when Temporal has not answered, as ISO 8601. */
export const temporalAwaySince = 'temporalAwaySince';

const { worker, temporal } = downPartWords;

/**
 * SQL: the part that is down, with a sentence; no row while all are there. It is derived where it is read, from the beats, since
 * writing it would need the part that is down. Where no worker has ever served, it is down since the API is there.
 */
export const downPart: RawBuilder<{ part: DownPart; sentence: string }> = sql`(
  select part, case part when 'worker' then ${worker.before}::text || since || ${worker.after}::text
    else ${temporal.before}::text || since || ${temporal.after}::text end as sentence
  from (
    select part, to_char(since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from (
      select case when coalesce(bool_or(serving), false) then 'temporal' else 'worker' end as part,
        case when coalesce(bool_or(serving), false)
          then case when bool_and(away is not null) filter (where serving) then min(away) filter (where serving) end
          else coalesce(max(served_at), (
            select min(started_at) from process where kind = 'api'
              and seen_at > now() - make_interval(secs => ${livingSeconds})
              and started_at < now() - make_interval(secs => ${servingSeconds}))) end as since
      from (
        select served_at, (state ->> ${temporalAwaySince}::text)::timestamptz as away,
          coalesce(ended_at is null and served_at > now() - make_interval(secs => ${servingSeconds}), false) as serving
        from process where kind = 'worker'
      ) as beats
    ) as parts where since is not null
  ) as named
)`;

/** SQL: that sentence, or null. */
export const downSentence: RawBuilder<string | null> = sql`(select sentence from ${downPart} as down)`;

export async function findDownPart(kysely: Kysely<Tables>): Promise<{ part: DownPart; sentence: string } | undefined> {
  const { rows } = await sql<{ part: DownPart; sentence: string }>`select * from ${downPart} as down`.execute(kysely);
  return rows[0];
}
