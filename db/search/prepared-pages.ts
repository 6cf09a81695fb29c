import { CompiledQuery, type Kysely } from 'kysely';
import type { SoughtPage } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { patternsOf } from './finder.ts';

/**
 * Pages of a list that is written out and prepared: building and planning its statements would cost more than a tenth of the
 * request. The oldest come first, `words` is what is sought in. The query's `$1` is the organization.
 */
export function preparedPages<Row>(query: string, { at, id, words }: { at: string; id: string; words: string }) {
  const end = `order by ${at}, ${id} limit $2`;
  const firstPage = `${query} ${end}`;
  const nextPage = `${query} and (${at}, ${id}) > ($3, $4) ${end}`;
  // Both in one: the position of a first page is null.
  const sought = `${query} and ${words} ilike all ($3::text[])
    and ($4::timestamptz is null or (${at}, ${id}) > ($4, $5::uuid)) ${end}`;
  return async (
    kysely: Kysely<Tables>,
    organizationId: string,
    { limit, after, q = '' }: SoughtPage,
  ): Promise<Row[]> => {
    const position = after === undefined ? [] : [after.createdAt, after.id];
    const patterns = patternsOf(q);
    const [text, values] =
      patterns.length > 0
        ? [sought, [patterns, after?.createdAt, after?.id]]
        : [after === undefined ? firstPage : nextPage, position];
    return (await kysely.executeQuery<Row>(CompiledQuery.raw(text, [organizationId, limit, ...values]))).rows;
  };
}
