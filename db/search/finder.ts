import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ActorKind } from '../../workflows/descriptors.ts';
import type { Tables } from '../postgres/tables.ts';

/** A text as a pattern of LIKE, in which its wildcards are letters like any other. */
function literally(text: string): string {
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

export const foundKinds = [
  'project',
  'environment',
  'service',
  'member',
  'team',
  'cluster',
  'workload',
  'instance',
  'token',
  'invitation',
  'trusted-issuer',
  'workflow',
] as const;

export interface Found {
  kind: (typeof foundKinds)[number];
  id: string;
  name: string;
  /** Tells it from others of that name. */
  detail: string | null;
  clusterId: string | null;
  /** The slugs that its address in the console is made of: those of its project and, beneath it, of itself. */
  place: { project: string; environment?: string; service?: string } | null;
  state: string | null;
  /** When an agent last told of the state, if one did. */
  toldAt: Date | null;
  inContact: boolean | null;
  /** 0: this id; 1: this name; 2: it begins so; 3: a word of it does; 4: somewhere within. */
  rank: number;
}

/** A subject's things that can be found: their select, with the columns of `foundColumns`. */
export interface Finder {
  kind: Found['kind'];
  select: (organizationId: string, text: Sought) => RawBuilder<unknown>;
}

interface Sought {
  text: string;
  /** The kinds of workflows that may be read: not all of them by everybody who may list some. */
  workflows: readonly ActorKind[];
  /** The projects that the reader is limited to; null: not limited. */
  within: readonly string[] | null;
}

/** The condition that a project is one of those that the reader may see. */
export function isWithin({ within }: Sought, projectId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${within}::uuid[] is null or ${projectId} = any(${within}::uuid[]))`;
}

interface Columns {
  id: RawBuilder<unknown>;
  name: RawBuilder<unknown>;
  /** Sought, too, but less than the name. */
  detail?: RawBuilder<unknown>;
  clusterId?: RawBuilder<unknown>;
  place?: RawBuilder<unknown>;
  state?: RawBuilder<unknown>;
  toldAt?: RawBuilder<unknown>;
  inContact?: RawBuilder<unknown>;
}

export function foundColumns({ text }: Sought, kind: Found['kind'], columns: Columns) {
  const { id, name, detail, clusterId, place, state, toldAt, inContact } = columns;
  const pattern = literally(text);
  const within = `%${pattern}%`;
  const further = detail === undefined ? sql`` : sql`when ${detail} ilike ${within} then 5`;
  return sql`
    ${kind}::text as kind, (${id})::text as id, (${name})::text as name,
    (${detail ?? sql`null`})::text as detail, (${clusterId ?? sql`null`})::text as "clusterId",
    (${place ?? sql`null`})::jsonb as place,
    (${state ?? sql`null`})::text as state, (${toldAt ?? sql`null`})::timestamptz as "toldAt",
    (${inContact ?? sql`null`})::boolean as "inContact",
    case when (${id})::text ilike ${pattern} then 0 when ${name} ilike ${pattern} then 1
      when ${name} ilike ${`${pattern}%`} then 2 when ${name} ilike ${`% ${pattern}%`} then 3
      when ${name} ilike ${within} then 4 ${further} end as rank`;
}

/** The best of all that these finders find, in one question. */
export async function find(
  kysely: Kysely<Tables>,
  organizationId: string,
  finders: readonly Finder[],
  sought: Sought & { limit: number },
): Promise<Found[]> {
  if (finders.length === 0) return [];
  return (await foundBy(organizationId, finders, sought).execute(kysely)).rows;
}

/** That question: one text for all who may find the same kinds, whose plan would cost more than its answer. */
export function foundBy(
  organizationId: string,
  finders: readonly Finder[],
  { text, workflows, within, limit }: Sought & { limit: number },
): RawBuilder<Found> {
  const sought = { text, workflows, within };
  const all = finders.map(
    ({ select }) => sql`(select * from (${select(organizationId, sought)}) as of_kind
      where rank is not null order by rank, lower(name), id limit ${limit})`,
  );
  return sql<Found>`
    select * from (${sql.join(all, sql` union all `)}) as found order by rank, lower(name), kind, id limit ${limit}
  `;
}
