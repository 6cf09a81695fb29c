import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

const restMillis = 10_000;

/**
 * Whether the disk of PostgreSQL has room, which only a write that needs room shows: small rows fit into what its files have already,
 * long after the disk is full. A sort beyond its memory is written to the disk and is gone at its end: no row, no log, no vacuum.
 */
export class Room {
  readonly #kysely: Kysely<Tables>;
  #foundAt = Number.NEGATIVE_INFINITY;

  constructor(kysely: Kysely<Tables>) {
    this.#kysely = kysely;
  }

  /** Rejects as PostgreSQL does, with 53100, while it has none. What was found holds for ten seconds, a refusal is asked again. */
  async find(): Promise<void> {
    if (performance.now() - this.#foundAt < restMillis) return;
    await this.#kysely.transaction().execute(async (asking) => {
      await sql`set local work_mem = '64kB'`.execute(asking);
      await sql`select max(place) from (
        select row_number() over (order by md5(one::text)) as place from generate_series(1, 5000) one
      ) as sorted`.execute(asking);
    });
    this.#foundAt = performance.now();
  }
}
