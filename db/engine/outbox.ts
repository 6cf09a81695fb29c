import { type Kysely, sql } from 'kysely';
import { type ActorId, actorId } from '../../domain/actors/actors.ts';
import type { ActorKind } from '../../workflows/descriptors.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { type Author, authorOfEntry } from './author.ts';

export interface Start {
  start: ActorKind;
  /** The actor's row, made in the same effect: its input is read from there when it is started. */
  id: string;
  organizationId: string;
}

export interface Message {
  to: ActorId;
  /** The name of the signal. The entry's id becomes the message's id. */
  message: string;
  organizationId: string;
  body: JsonObject;
}

export type InsertedEntry = Start | Message;

export interface OutboxEntry {
  /** Also the id of the message: the actor ignores one that it has seen. */
  id: string;
  actorId: string;
  organizationId: string;
  kind: 'start' | 'message';
  /** The signal's name; null for a start. */
  message: string | null;
  /** Of a message; empty for a start. */
  body: JsonObject;
  author: JsonObject;
  trace: JsonObject | null;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
}

/** From this attempt on an entry is poisoned: still tried, but named to the people who watch. */
export const poisonedAfter = 10;
const longestPauseSeconds = 60;

export function actorIdOf(entry: InsertedEntry): ActorId {
  return 'start' in entry ? actorId(entry.start, entry.id) : entry.to;
}

export async function insertEntries(kysely: Kysely<Tables>, author: Author, entries: InsertedEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const common = { author: authorOfEntry(author), trace: author.trace ?? null };
  await kysely
    .insertInto('outbox')
    .values(
      entries.map((entry) => ({
        ...common,
        // Rounded up to a millisecond, as a default would be, it would not be due yet when it is told at once.
        next_attempt_at: sql<Date>`date_trunc('milliseconds', now())`,
        actor_id: actorIdOf(entry),
        organization_id: entry.organizationId,
        ...('start' in entry
          ? { kind: 'start' as const, message: null, body: {} }
          : { kind: 'message' as const, message: entry.message, body: entry.body }),
      })),
    )
    .execute();
}

/** Of one actor. `busy`: somebody else is delivering to it. `later`: its next attempt is not due. */
export type Claim = readonly OutboxEntry[] | 'busy' | 'later';

/**
 * The oldest entries of each actor, at most `turn`, claimed until the transaction ends. Whoever holds them says which are
 * `delivered` and which one `failed` in the same transaction.
 *
 * The claim is an advisory lock and not a lock on the row: locking a row gives the transaction an id, and the change
 * feed waits for every open transaction that has one. A delivery may hang for seconds; the feed must not hang with it.
 */
export async function claimEntries(
  transaction: Kysely<Tables>,
  actors: readonly string[],
  turn: number,
): Promise<Map<string, Claim>> {
  const locks = await sql<{ actor: string; held: boolean }>`
    select actor, pg_try_advisory_xact_lock(hashtextextended(concat('outbox ', actor), 0)) as held
    from unnest(${actors}::text[]) as actor
  `.execute(transaction);
  const claims = new Map<string, Claim>(locks.rows.map(({ actor, held }) => [actor, held ? [] : 'busy']));
  const held = locks.rows.flatMap((lock) => (lock.held ? [lock.actor] : []));
  if (held.length === 0) return claims;
  // A statement of its own, so that it sees what the last holder of the lock has committed.
  const { rows } = await sql<{ actor: string; due: boolean } & (OutboxEntry | { id: null })>`
    select told.actor, head.due, entry.id, entry.actor_id as "actorId", entry.organization_id as "organizationId",
           entry.kind, entry.message, entry.body, entry.author, entry.trace, entry.attempts,
           entry.last_error as "lastError", entry.created_at as "createdAt"
    from unnest(${held}::text[]) as told (actor)
    cross join lateral (
      select next_attempt_at <= clock_timestamp() as due from outbox where actor_id = told.actor order by id limit 1
    ) as head
    left join lateral (
      select * from outbox where head.due and actor_id = told.actor order by id limit ${turn}
    ) as entry on true
    order by entry.id
  `.execute(transaction);
  for (const { actor, due, ...entry } of rows) {
    if (!due || entry.id === null) claims.set(actor, 'later');
    else claims.set(actor, [...entriesOf(claims.get(actor)), entry]);
  }
  return claims;
}

function entriesOf(claim: Claim | undefined): readonly OutboxEntry[] {
  return typeof claim === 'object' ? claim : [];
}

export async function delivered(transaction: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from outbox where id = any(${ids}::bigint[])`.execute(transaction);
}

/** Those of the actors whose oldest entry is due. */
export async function dueOf(kysely: Kysely<Tables>, actors: readonly string[]): Promise<string[]> {
  if (actors.length === 0) return [];
  const { rows } = await sql<{ actor: string }>`
    select told.actor from unnest(${actors}::text[]) as told (actor)
    where (select next_attempt_at <= clock_timestamp() from outbox where actor_id = told.actor order by id limit 1)
  `.execute(kysely);
  return rows.map(({ actor }) => actor);
}

/** Counts the attempt and says when to try again: after 1 s, doubling, at most a minute later. */
export async function failed(
  transaction: Kysely<Tables>,
  entry: Pick<OutboxEntry, 'id'>,
  error: string,
): Promise<{ attempts: number }> {
  return await transaction
    .updateTable('outbox')
    .set({
      attempts: sql`attempts + 1`,
      next_attempt_at: sql`clock_timestamp() + make_interval(secs => least(power(2, least(attempts, 16)), ${longestPauseSeconds}))`,
      // PostgreSQL's text cannot hold a NUL, and an error may quote anything.
      last_error: error.slice(0, 2_000).replaceAll('\0', ''),
    })
    .where('id', '=', entry.id)
    .returning('attempts')
    .executeTakeFirstOrThrow();
}

export interface DueActors {
  /** Actors whose oldest entry is due, the longest due first. Entries behind one that is not due wait for it. */
  actors: string[];
  /** In how many milliseconds the next of the others is due; undefined when none waits for its time. */
  nextMilliseconds: number | undefined;
}

/**
 * Looks at the heads only: one step of the index (actor_id, id) leads from an actor to the next one's oldest entry, so
 * the cost follows the number of actors and never the number of entries that wait behind one of them.
 */
export async function dueActors(kysely: Kysely<Tables>, limit: number): Promise<DueActors> {
  const { rows } = await sql<{ actor: string | null; next: number | null }>`
    with recursive head as (
      (select actor_id, id, next_attempt_at from outbox order by actor_id, id limit 1)
      union all
      select following.* from head, lateral (
        select actor_id, id, next_attempt_at from outbox
        where actor_id > head.actor_id order by actor_id, id limit 1
      ) as following
    ), due as (
      select actor_id, id, next_attempt_at from head where next_attempt_at <= now()
      order by next_attempt_at, id limit ${limit}
    ), waiting as (
      select extract(epoch from min(next_attempt_at) - now())::float8 * 1000 as next from head where next_attempt_at > now()
    )
    select due.actor_id as actor, waiting.next from waiting left join due on true
    order by due.next_attempt_at, due.id
  `.execute(kysely);
  return {
    actors: rows.flatMap(({ actor }) => (actor === null ? [] : [actor])),
    nextMilliseconds: rows[0]?.next ?? undefined,
  };
}

export interface PoisonedEntry {
  actorId: string;
  attempts: number;
  lastError: string | null;
  since: Date;
}

/** The oldest 20, along an index of their own, so that frequent callers do not count all that waits. */
export async function poisonedEntries(kysely: Kysely<Tables>): Promise<PoisonedEntry[]> {
  const rows = await kysely
    .selectFrom('outbox')
    .select(['actor_id', 'attempts', 'last_error', 'created_at'])
    .where('attempts', '>=', sql<number>`${sql.lit(poisonedAfter)}`)
    .orderBy('id')
    .limit(20)
    .execute();
  return rows.map((row) => ({
    actorId: row.actor_id,
    attempts: row.attempts,
    lastError: row.last_error,
    since: row.created_at,
  }));
}

export interface OutboxState {
  depth: number;
  oldestAgeSeconds: number;
  poisoned: PoisonedEntry[];
}

export async function outboxState(kysely: Kysely<Tables>): Promise<OutboxState> {
  const [totals, poisoned] = await Promise.all([
    sql<{ depth: number; age: number }>`
      select (select count(*) from outbox)::float8 as depth,
             coalesce((select extract(epoch from clock_timestamp() - created_at) from outbox order by id limit 1), 0)::float8
               as age
    `.execute(kysely),
    poisonedEntries(kysely),
  ]);
  const { depth, age } = totals.rows[0] ?? { depth: 0, age: 0 };
  return { depth, oldestAgeSeconds: Math.max(0, age), poisoned };
}
