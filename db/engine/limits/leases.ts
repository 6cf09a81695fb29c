import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Tables } from '../../postgres/tables.ts';
import { deleteInBatches } from '../delete-in-batches.ts';

export interface StreamRequest {
  /** Whose stream: the token's or the session's id. */
  credential: string;
  /** Leases of one kind are counted together. */
  kind: string;
  /** How many streams of this kind the credential may hold at once, in all processes. */
  limit: number;
  /** The process that serves it. */
  holder: string;
}

const leaseSeconds = 90;

/** A lease for one more stream, or undefined when the credential holds as many as it may. */
export async function acquireStream(kysely: Kysely<Tables>, request: StreamRequest): Promise<string | undefined> {
  const { credential, kind, limit, holder } = request;
  for (;;) {
    const id = uuid();
    const { rows } = await sql<{ free: number | null; taken: boolean }>`
      with free as (
        select slot from generate_series(1, ${limit}::int) slot
        where not exists (
          select from stream_lease held
          where held.credential = ${credential} and held.kind = ${kind} and held.slot = slot.slot
            and held.expires_at > now()
        )
        order by slot limit 1
      ), taken as (
        insert into stream_lease (credential, kind, slot, id, holder, expires_at)
        select ${credential}, ${kind}, slot, ${id}, ${holder}, now() + make_interval(secs => ${leaseSeconds}) from free
        on conflict (credential, kind, slot) do update
        set id = excluded.id, holder = excluded.holder, expires_at = excluded.expires_at
        where stream_lease.expires_at <= now()
        returning slot
      )
      select (select slot from free) as free, exists (select from taken) as taken
    `.execute(kysely);
    const [row] = rows;
    if (row?.taken === true) return id;
    // A slot was free and another request was faster: look again. Each round somebody gets one, so this ends.
    if (row?.free == null) return undefined;
  }
}

/** Keeps the leases for another while. Returns those that still hold: a lost one means that its stream must end. */
export async function renewStreams(kysely: Kysely<Tables>, leases: string[]): Promise<Set<string>> {
  if (leases.length === 0) return new Set();
  const rows = await kysely
    .updateTable('stream_lease')
    .set({ expires_at: sql`now() + make_interval(secs => ${leaseSeconds})` })
    .where('id', 'in', leases)
    .returning('id')
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function releaseStream(kysely: Kysely<Tables>, lease: string): Promise<void> {
  await kysely.deleteFrom('stream_lease').where('id', '=', lease).execute();
}

/** All that a process holds: when it starts anew under the same name, or stops. */
export async function releaseStreamsOf(kysely: Kysely<Tables>, holder: string): Promise<void> {
  await kysely.deleteFrom('stream_lease').where('holder', '=', holder).execute();
}

export interface Permits {
  /** How many requests may be let through without asking again in this window; 0: none are left. */
  granted: number;
  /** How many of the window are left for everybody after this grant. */
  remaining: number;
  secondsLeft: number;
}

/** Takes a chunk of the permits of the current minute. The process spends them in memory, until the minute is over. */
export async function takePermits(
  kysely: Kysely<Tables>,
  request: { key: string; limitPerMinute: number; chunk: number },
): Promise<Permits> {
  const { key, limitPerMinute: limit, chunk } = request;
  const { rows } = await sql<{ granted: number | null; taken: number | null; secondsLeft: number }>`
    with taken as (
      insert into rate_permit (key, window_start, taken, granted)
      values (${key}, date_trunc('minute', now()), least(${chunk}::int, ${limit}::int), least(${chunk}::int, ${limit}::int))
      on conflict (key, window_start) do update
      set taken = rate_permit.taken + least(${chunk}::int, ${limit}::int - rate_permit.taken),
          granted = least(${chunk}::int, ${limit}::int - rate_permit.taken)
      where rate_permit.taken < ${limit}::int
      returning granted, taken
    )
    select taken.granted, taken.taken,
           extract(epoch from date_trunc('minute', now()) + interval '1 minute' - clock_timestamp())::float8
             as "secondsLeft"
    from (select 1) one left join taken on true
  `.execute(kysely);
  const [row] = rows;
  const secondsLeft = Math.max(0, row?.secondsLeft ?? 0);
  return { granted: row?.granted ?? 0, remaining: Math.max(0, limit - (row?.taken ?? limit)), secondsLeft };
}

/** Removes leases that nobody renews and permits of minutes that are over. */
export async function sweepLeases(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const leases = { table: 'stream_lease', where: sql`expires_at < now()`, along: sql.ref('expires_at'), signal };
  const old = sql`window_start < now() - interval '2 minutes'`;
  const permits = { table: 'rate_permit', where: old, along: sql.ref('window_start'), signal };
  return (await deleteInBatches(kysely, leases)) + (await deleteInBatches(kysely, permits));
}
