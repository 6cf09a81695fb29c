import { type Kysely, sql } from 'kysely';
import type { HintKind, InnerHintKind } from '../../../domain/hints.ts';
import { prepared } from '../../postgres/prepared-statements.ts';
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

/** A cursor behind everything that is committed: what is still open, and all that comes, lies before it. */
export async function feedHead(kysely: Kysely<Tables>): Promise<FeedCursor> {
  const { rows } = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(
    kysely,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not tell its oldest transaction.');
  return { transactionId: row.xmin, position: '0' };
}

/**
 * The entries after the cursor, of transactions below the oldest open one: none that commits later can have an id below
 * that, so nothing ever appears behind a cursor.
 */
export async function readFeed(kysely: Kysely<Tables>, cursor: FeedCursor, limit: number): Promise<FeedPage> {
  const { rows } = await sql<FeedEntry & { lag: number; project: string | null }>`
    ${sql.raw(prepared)}
    select position, transaction_id::text as "transactionId", organization_id as "organizationId", kind,
           subject_id as id, project_id as project, at,
           extract(epoch from clock_timestamp() - at)::float8 as lag
    from change_feed
    where (transaction_id, position) > (${cursor.transactionId}::xid8, ${cursor.position}::bigint)
      and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by transaction_id, position
    limit ${limit}
  `.execute(kysely);
  const entries = rows.map(({ project, lag: _, ...entry }) =>
    project === null ? entry : { ...entry, projectId: project },
  );
  const last = rows.at(-1);
  return {
    entries,
    cursor: last === undefined ? cursor : { transactionId: last.transactionId, position: last.position },
    lagSeconds: last === undefined ? 0 : Math.max(0, last.lag),
  };
}

export interface HeldBack {
  /** Whose entries are committed but held back by an open transaction, for longer than the patience. */
  organizationIds: string[];
  oldestSeconds: number;
  /** The clock of PostgreSQL at this look; given to the next one, it tells only what came since. */
  until: Date;
}

/**
 * What the guard holds back. Transactions above the snapshot cannot exist yet: entries that claim to be of one were
 * restored from another server, and would be held back for ever.
 */
export async function heldBack(
  kysely: Kysely<Tables>,
  patienceSeconds: number,
  since: Date | undefined,
): Promise<HeldBack> {
  const { rows } = await sql<{ organizationId: string | null; oldest: number | null; until: Date }>`
    with held as materialized (
      select organization_id, min(at) as oldest, max(at) as youngest
      from change_feed
      where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
        and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
      group by organization_id
    ), clock as materialized (
      select date_trunc('milliseconds', clock_timestamp()) - make_interval(secs => ${patienceSeconds}) as until
    )
    select held.organization_id as "organizationId",
           extract(epoch from clock_timestamp() - held.oldest)::float8 as oldest, clock.until
    from clock
    left join held on held.oldest <= clock.until
      and (${since ?? null}::timestamptz is null or held.youngest > ${since ?? null}::timestamptz)
  `.execute(kysely);
  const [first] = rows;
  if (first === undefined) throw new Error('PostgreSQL did not tell its clock.');
  return {
    organizationIds: rows.flatMap((row) => (row.organizationId === null ? [] : [row.organizationId])),
    oldestSeconds: Math.max(0, ...rows.map((row) => row.oldest ?? 0)),
    until: first.until,
  };
}
