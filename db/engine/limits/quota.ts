import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../../../domain/problems.ts';
import type { Effect } from '../effect.ts';

export interface Quota {
  /** The setting that says how many there may be. */
  setting: string;
  most: number;
  /** Whose they are: the id of an organization, a user, a credential. */
  owner: string;
  /** The plural that people read: `teams`. */
  things: string;
  /** Those that there are, as what stands behind `from`. */
  rows: RawBuilder<unknown>;
  /** The step that frees room, for the error message; by default to delete one. */
  remedy?: string;
  loosely?: true;
}

/**
 * Refuses one more than a quota allows. Concurrent callers wait for each other, so the quota is never exceeded;
 * with `loosely` they do not wait, and a few more may be created.
 */
export async function refuseBeyond({ kysely }: Pick<Effect, 'kysely'>, quota: Quota): Promise<void> {
  const { setting, most, owner, things, rows, remedy = 'delete one that is not needed', loosely = false } = quota;
  const key = JSON.stringify(['quota', setting, owner]);
  // A statement of its own: the next one sees what the lock's last holder has committed.
  if (!loosely) await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(kysely);
  const reached = await sql`select from ${rows} offset ${most - 1} limit 1`.execute(kysely);
  if (reached.rows.length === 0) return;
  throw new Problem(
    'quota-reached',
    `The limit of ${most.toLocaleString('en')} ${things} (${setting}) is reached; ${remedy}, or ask the operator of this installation to raise it.`,
  );
}
