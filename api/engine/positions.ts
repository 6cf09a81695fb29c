import { z } from 'zod';
import type { Page, PageAnswer } from './definition.ts';

/** The position of lists that are ordered by when things were made. The id decides between two of one moment. */
export const createdPosition = z.strictObject({ createdAt: z.iso.datetime(), id: z.guid() });
export type CreatedPosition = z.output<typeof createdPosition>;

interface Made {
  createdAt: Date;
}

/** Asks the database for one item more than the page holds, to know whether there is another page. */
export function oneMore(page: Page<CreatedPosition>): {
  limit: number;
  after: { createdAt: Date; id: string } | undefined;
} {
  const { after, limit } = page;
  return { limit: limit + 1, after: after && { createdAt: new Date(after.createdAt), id: after.id } };
}

/** A page of what `oneMore` brought, as rows, or as the answers that are made of them. */
export function pageOf<Row extends Made & { id: string }, Item = Row>(
  rows: readonly Row[],
  page: Page<CreatedPosition>,
  answer?: (row: Row) => Item,
): PageAnswer<Item, CreatedPosition>;
export function pageOf<Row extends Made, Item = Row>(
  rows: readonly Row[],
  page: Page<CreatedPosition>,
  answer: ((row: Row) => Item) | undefined,
  idOf: (row: Row) => string,
): PageAnswer<Item, CreatedPosition>;
export function pageOf<Row extends Made>(
  rows: readonly Row[],
  page: Page<CreatedPosition>,
  answer: (row: Row) => unknown = (row) => row,
  idOf: (row: Row) => string = (row) => (row as Row & { id: string }).id,
): PageAnswer<unknown, CreatedPosition> {
  return pageBy(rows, page, (last) => ({ createdAt: last.createdAt.toISOString(), id: idOf(last) }), answer);
}

/** The same of lists of events, which are ordered by when these happened. */
export const eventPosition = z.strictObject({ at: z.iso.datetime(), id: z.guid() });
type EventPosition = z.output<typeof eventPosition>;

export function oneMoreEvent({ after, limit }: Page<EventPosition>): {
  limit: number;
  after: { at: Date; id: string } | undefined;
} {
  return { limit: limit + 1, after: after && { at: new Date(after.at), id: after.id } };
}

export function pageOfEvents<Row extends { at: Date; id: string }, Item = Row>(
  rows: readonly Row[],
  page: Page<EventPosition>,
  answer?: (row: Row) => Item,
): PageAnswer<Item, EventPosition> {
  return pageBy(rows, page, ({ at, id }) => ({ at: at.toISOString(), id }), answer);
}

/** A page in any order, of rows of which one more was asked for than it holds. */
export function pageBy<Row, After, Item = Row>(
  rows: readonly Row[],
  { limit }: Page<After>,
  positionOf: (last: Row) => After,
  answer?: (row: Row) => Item,
): PageAnswer<Item, After> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const items = answer === undefined ? (shown as unknown[] as Item[]) : shown.map((row) => answer(row));
  return { items, after: last && positionOf(last) };
}
