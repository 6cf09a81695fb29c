import { type SelectQueryBuilder, sql } from 'kysely';

export interface Page {
  limit: number;
  /** The end of the page before. */
  after?: { createdAt: Date; id: string } | undefined;
}

/** Of the rows alone that have all words of `q`. */
export interface SoughtPage extends Page {
  q?: string | undefined;
}

/** A page of a list by the time at which its rows were made: those behind the position, in the order of the list. */
export function pageOf(table: string, order: 'oldest' | 'newest', { limit, after }: Page) {
  const [at, id] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)];
  const [direction, isBehind] = order === 'oldest' ? (['asc', sql`>`] as const) : (['desc', sql`<`] as const);
  return <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> => {
    const page = query.orderBy(at, direction).orderBy(id, direction).limit(limit);
    if (after === undefined) return page;
    return page.where(sql<boolean>`(${at}, ${id}) ${isBehind} (${after.createdAt}, ${after.id})`);
  };
}
