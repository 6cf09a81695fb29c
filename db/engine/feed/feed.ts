import { type Kysely, sql } from 'kysely';
import type { HintKind, InnerHintKind } from '../../../domain/hints.ts';
import type { Tables } from '../../postgres/tables.ts';

/** That something changed: its kind and its id, never its content. */
export interface Hint {
  organizationId: string;
  kind: HintKind | InnerHintKind;
  id: string;
  projectId?: string;
}

/** As it is read: another version may have written it, whose kinds are not known here. */
export interface HeardHint extends Omit<Hint, 'kind'> {
  kind: string;
  /** The one that wrote it, where it was read from the feed. */
  transactionId?: string;
}

export interface FeedEntry extends HeardHint {
  position: string;
  transactionId: string;
  at: Date;
}

/** Up to where a reader has read. Transactions first, since positions are given out before the commits. */
export interface FeedCursor {
  transactionId: string;
  position: string;
}

export interface FeedPage {
  entries: FeedEntry[];
  cursor: FeedCursor;
  /** Whether there may be more. */
  full: boolean;
  /** How old the youngest entry of the page was when it was read. */
  lagSeconds: number;
}

export const feedChannel = 'ballast_feed';

export async function appendToFeed(kysely: Kysely<Tables>, hints: Hint[]): Promise<void> {
  if (hints.length === 0) return;
  await kysely
    .insertInto('change_feed')
    .values(
      hints.map((hint) => ({
        organization_id: hint.organizationId,
        kind: hint.kind,
        subject_id: hint.id,
        project_id: hint.projectId ?? null,
      })),
    )
    .execute();
}

export interface FeedHead {
  /** Every transaction still open, and all later ones, lie after this cursor. */
  cursor: FeedCursor;
  /** Changes visible in this snapshot need no telling, even while an open transaction holds them back. */
  snapshot: string;
}

/** The end of the feed: behind everything that is committed. */
export async function feedHead(kysely: Kysely<Tables>): Promise<FeedHead> {
  const { rows } = await sql<{ xmin: string; snapshot: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, pg_current_snapshot()::text as snapshot
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not tell its oldest transaction.');
  return { cursor: { transactionId: row.xmin, position: '0' }, snapshot: row.snapshot };
}

/**
 * The entries after the cursor, of transactions below the oldest open one: none that commits later can have an id below
 * that, so nothing ever appears behind a cursor. Those that were told ahead are passed over.
 */
export async function readFeed(
  kysely: Kysely<Tables>,
  cursor: FeedCursor,
  limit: number,
  ahead?: string,
): Promise<FeedPage> {
  const { rows } = await sql<Row & { told: boolean }>`
    select ${columns}, coalesce(pg_visible_in_snapshot(transaction_id, ${ahead ?? null}::pg_snapshot), false) as told
    from change_feed
    where (transaction_id, position) > (${cursor.transactionId}::xid8, ${cursor.position}::bigint)
      and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by transaction_id, position
    limit ${limit}
  `.execute(kysely);
  const last = rows.at(-1);
  return {
    entries: rows.filter(({ told }) => !told).map(entryOf),
    cursor: last === undefined ? cursor : { transactionId: last.transactionId, position: last.position },
    full: rows.length === limit,
    lagSeconds: last === undefined ? 0 : Math.max(0, last.lag),
  };
}

/**
 * For how long the oldest committed entry has been held back by an open transaction; 0 when none is. Transactions above
 * the snapshot cannot exist yet: entries that claim to be of one were restored from another server, and would be held
 * back for ever.
 */
export async function heldSeconds(kysely: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from clock_timestamp() - min(at))::float8 as seconds
    from change_feed
    where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
      and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
  `.execute(kysely);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

export interface Ahead {
  entries: FeedEntry[];
  /** The snapshot in which they were seen: what is visible in it was told, and is passed over from then on. */
  snapshot: string;
  /** More than the limit was there. The rest counts as told too: whoever is concerned has to read again. */
  dropped: boolean;
}

/**
 * Whatever is committed after the cursor, in any order, without what the last such look saw. A transaction that commits
 * later is not visible in this snapshot, so it is found by the next look or behind the guard, whatever its id.
 */
export async function readAhead(
  kysely: Kysely<Tables>,
  cursor: FeedCursor,
  limit: number,
  before?: string,
): Promise<Ahead> {
  const { rows } = await sql<{ snapshot: string } & (Row | { [Column in keyof Row]: null })>`
    select current.snapshot::text as snapshot, entry.*
    from (select pg_current_snapshot() as snapshot) as current
    left join lateral (
      select ${columns}
      from change_feed
      where (transaction_id, position) > (${cursor.transactionId}::xid8, ${cursor.position}::bigint)
        and transaction_id < pg_snapshot_xmax(current.snapshot)
        and (${before ?? null}::pg_snapshot is null
          or not pg_visible_in_snapshot(transaction_id, ${before ?? null}::pg_snapshot))
      order by transaction_id, position
      limit ${limit + 1}
    ) as entry on true
  `.execute(kysely);
  const [first] = rows;
  if (first === undefined) throw new Error('PostgreSQL did not tell its snapshot.');
  const entries = rows.flatMap((row) => (row.position === null ? [] : [entryOf(row)]));
  return { entries: entries.slice(0, limit), snapshot: first.snapshot, dropped: entries.length > limit };
}

interface Row extends Omit<FeedEntry, 'projectId'> {
  project: string | null;
  lag: number;
}

const columns = sql`
  position, transaction_id::text as "transactionId", organization_id as "organizationId", kind, subject_id as id,
  project_id as project, at, extract(epoch from clock_timestamp() - at)::float8 as lag`;

function entryOf({ position, transactionId, organizationId, kind, id, project, at }: Row): FeedEntry {
  const entry = { position, transactionId, organizationId, kind, id, at };
  return project === null ? entry : { ...entry, projectId: project };
}
