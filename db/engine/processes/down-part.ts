import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type DownPart, downPartWords } from '../../../domain/actors/down-part.ts';
import type { Tables } from '../../postgres/tables.ts';
import { livingSeconds } from './processes.ts';

/** Three beats of a worker that did not come. Shorter than for other parts: people wait for what it does. */
export const servingSeconds = 10;

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
