import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** A text as a pattern of LIKE, in which its wildcards are letters like any other. */
export function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, (letter) => `\\${letter}`);
}

/** The patterns of a text's words: what is sought has each of them somewhere. */
export function patternsOf(text: string): string[] {
  return text.split(/\s+/).flatMap((word) => (word === '' ? [] : [`%${literally(word)}%`]));
}

/**
 * The condition that each word of the text occurs in one of these columns, in capitals or not; no words narrow nothing.
 * PostgreSQL compares, on both sides: its small letters are not those of JavaScript.
 */
export function hasWords(text: string | undefined, columns: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  const patterns = patternsOf(text ?? '');
  if (patterns.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`concat_ws(E'\n', ${sql.join(columns)}) ilike all (${patterns}::text[])`;
}
