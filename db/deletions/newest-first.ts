import { type SelectQueryBuilder, sql } from 'kysely';

export interface DeletionPosition {
  createdAt: Date;
  id: string;
}

export interface DeletionPage {
  limit: number;
  after?: DeletionPosition | undefined;
}

/** A page of deletions, whichever they are: the newest first, those behind the position. */
export function newestFirst<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, after }: DeletionPage,
): SelectQueryBuilder<DB, TB, Row> {
  const rows = query.orderBy(sql`deletion.created_at`, 'desc').orderBy(sql`deletion.id`, 'desc').limit(limit);
  if (after === undefined) return rows;
  return rows.where(sql<boolean>`(deletion.created_at, deletion.id) < (${after.createdAt}, ${after.id}::uuid)`);
}
