import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../postgres/tables.ts';
import type { HeardHint } from './feed.ts';

/** A state of the database: what was committed later is not visible in it. */
export interface FeedPosition {
  /** `pg_snapshot` as text. */
  snapshot: string;
  /** When it was taken, by PostgreSQL's clock, in seconds. */
  at: number;
}

export interface Missed {
  hints: HeardHint[];
  /** All that was committed until here is among them. */
  snapshot: string;
}

/** More than these are not worth a replay, nor is a position as old as this: the reader fetches everything again. */
const mostReplayed = 500;
const longestSeconds = 3_600;

/** Changes of an organization that are committed by now and were not at the position; undefined: too many, or too old. */
export async function missedSince(
  kysely: Kysely<Tables>,
  organizationId: string,
  { snapshot, at }: FeedPosition,
): Promise<Missed | undefined> {
  const { rows } = await sql<{
    age: number;
    /** Of a database that was restored since: its transactions have lower ids again. */
    ofAnother: boolean;
    snapshot: string;
    kind: string | null;
    id: string;
    project: string | null;
  }>`
    select extract(epoch from now())::float8 - ${at}::float8 as age, current.snapshot::text as snapshot, entry.*,
           pg_snapshot_xmax(${snapshot}::pg_snapshot) > pg_snapshot_xmax(current.snapshot) as "ofAnother"
    from (select pg_current_snapshot() as snapshot) as current
    left join lateral (
      select kind, subject_id as id, project_id as project
      from change_feed
      where organization_id = ${organizationId}
        and transaction_id >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
        and transaction_id < pg_snapshot_xmax(current.snapshot)
        and not pg_visible_in_snapshot(transaction_id, ${snapshot}::pg_snapshot)
      order by transaction_id, position
      limit ${mostReplayed + 1}
    ) as entry on true
  `.execute(kysely);
  const [first] = rows;
  if (first === undefined) throw new Error('PostgreSQL did not tell its snapshot.');
  if (first.ofAnother || first.age < 0 || first.age > longestSeconds || rows.length > mostReplayed) return undefined;
  const hints = rows.flatMap(({ kind, id, project }) => {
    if (kind === null) return [];
    const hint = { organizationId, kind, id };
    return [project === null ? hint : { ...hint, projectId: project }];
  });
  return { hints, snapshot: first.snapshot };
}

/** Whether a transaction is visible in a snapshot, as `pg_visible_in_snapshot` says. */
export function isVisibleIn(snapshot: string): (transactionId: string) => boolean {
  const [first = '', next = '', running = ''] = snapshot.split(':');
  const [xmin, xmax] = [BigInt(first), BigInt(next)];
  const open = new Set(running.split(','));
  return (transactionId) => {
    const id = BigInt(transactionId);
    return id < xmin || (id < xmax && !open.has(transactionId));
  };
}
