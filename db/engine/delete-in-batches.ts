import { setTimeout } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

export interface Batches extends Pace {
  /** One that holds rows itself: of a partitioned table, a partition. */
  table: string;
  where: RawBuilder<unknown>;
  /**
   * The indexed time that `where` goes by. Each batch begins where the last one ended; from the beginning of the index it
   * would step over all that was deleted before.
   */
  along?: RawBuilder<unknown>;
  /** Nothing may be left: waits for a row that somebody keeps locked, as long as any statement waits for a lock. */
  whole?: boolean;
}

export interface Pace {
  signal?: AbortSignal | undefined;
  /** At most so many rows at once; fewer when they take long. */
  most?: number;
  onBatch?: (deleted: number) => void;
  pause?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface Batch {
  /** How many rows were there to delete, of which some may be locked. */
  found: number;
  deleted: number;
  /** Where the next batch begins. */
  last: string | null;
}

const fewest = 1_000;
const mostRows = 10_000;
/** The feed waits for every open transaction that writes: this is how late a sweep may make it. */
const aim = 100;

/**
 * Deletes rows in transactions of about 100 ms, however many there are, and rests as long after each as it took: half
 * of a core at most, less when the database is busy. A row that somebody keeps locked is left to the next sweep: a wait
 * for it would hold up the feed. Answers how many it deleted; stops between two batches.
 */
export async function deleteInBatches(kysely: Kysely<Tables>, batches: Batches): Promise<number> {
  return await inBatches((limit, from) => deleteBatch(kysely, batches, limit, from), batches);
}

/** The same where a batch is more than one statement: each deletes at most so many rows, in a transaction of its own. */
export async function inBatches(
  deleteSome: (limit: number, from: string | null) => Promise<Batch>,
  { signal, most = mostRows, onBatch, pause = rest }: Pace,
): Promise<number> {
  let limit = Math.min(fewest, most);
  let total = 0;
  for (let from: string | null = null; !signal?.aborted; ) {
    const began = performance.now();
    const batch = await deleteSome(limit, from);
    const took = performance.now() - began;
    total += batch.deleted;
    onBatch?.(batch.deleted);
    // Rows that somebody else changed meanwhile are left to the next sweep.
    if (batch.found < limit || (batch.deleted === 0 && batch.last === from)) break;
    from = batch.last;
    limit = Math.round(Math.min(most, mostRows, Math.max(Math.min(fewest, most), (limit * aim) / Math.max(took, 1))));
    await pause(took, signal);
  }
  return total;
}

async function deleteBatch(
  kysely: Kysely<Tables>,
  { table, where, along, whole = false }: Batches,
  limit: number,
  from: string | null,
): Promise<Batch> {
  const time = along ?? sql`null::timestamptz`;
  const { rows } = await sql<Batch>`
    with old as materialized (
      select ctid as place, ${time} as time from ${sql.table(table)}
      where ${where} ${from === null ? sql`` : sql`and ${time} >= ${from}::timestamptz`}
      ${along === undefined ? sql`` : sql`order by ${time}`}
      limit ${limit} ${whole ? sql`` : sql`for update skip locked`}
    ), gone as (
      delete from ${sql.table(table)} where ctid = any(array(select place from old)) returning 1
    )
    select (select count(*)::int from gone) as deleted, (select count(*)::int from old) as found,
           (select max(time)::text from old) as last
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error(`PostgreSQL did not tell how many rows of ${table} it deleted.`);
  return row;
}

/** Ended early by the signal, without an error: the loop sees it. */
async function rest(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
