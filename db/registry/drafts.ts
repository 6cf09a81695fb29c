import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import type { DraftPart } from './table.ts';

export interface Draft {
  bytes: number;
  parts: readonly DraftPart[];
  sha256: string | null;
}

/** More pieces than that are no push: somebody sends a layer in chunks of a few bytes. */
export const mostDraftParts = 20_000;

export async function addDraft(kysely: Kysely<Tables>, name: string): Promise<void> {
  await kysely.insertInto('registry_draft').values({ name }).execute();
}

export async function findDraft(kysely: Kysely<Tables>, name: string): Promise<Draft | undefined> {
  return await kysely
    .selectFrom('registry_draft')
    .select([sql<number>`bytes::float8`.as('bytes'), sql<DraftPart[]>`parts`.as('parts'), 'sha256'])
    .where('name', '=', name)
    .executeTakeFirst();
}

export async function draftBytes(kysely: Kysely<Tables>, name: string): Promise<number | undefined> {
  const found = await kysely
    .selectFrom('registry_draft')
    .select(sql<number>`bytes::float8`.as('bytes'))
    .where('name', '=', name)
    .executeTakeFirst();
  return found?.bytes;
}

/** From here on the part counts as arrived. False: the draft is gone, is somebody else's, or does not end there. */
export async function appendPart(
  kysely: Kysely<Tables>,
  name: string,
  from: number,
  { object, bytes }: DraftPart,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update registry_draft
    set parts = parts || jsonb_build_array(jsonb_build_object('object', ${object}::text, 'bytes', ${bytes}::bigint)),
      bytes = bytes + ${bytes}, sha256 = null, changed_at = now()
    where name = ${name} and bytes = ${from} and jsonb_array_length(parts) < ${mostDraftParts}
  `.execute(kysely);
  return numAffectedRows === 1n;
}

/** Leaves the parts that make up its first bytes; answers the objects of the others. */
export async function cutParts(kysely: Kysely<Tables>, name: string, size: number): Promise<string[]> {
  return await kysely.transaction().execute(async (running) => {
    const { rows } = await sql<Draft>`
      select bytes::float8 as bytes, parts, sha256 from registry_draft where name = ${name} for update
    `.execute(running);
    const [draft] = rows;
    if (draft === undefined || draft.bytes <= size) return [];
    const kept: DraftPart[] = [];
    let bytes = 0;
    for (const part of draft.parts) {
      if (bytes + part.bytes > size) break;
      bytes += part.bytes;
      kept.push(part);
    }
    if (bytes !== size) throw new Error(`The draft ${name} has no part that ends at ${size}.`);
    await sql`
      update registry_draft set parts = ${JSON.stringify(kept)}::jsonb, bytes = ${bytes}, sha256 = null, changed_at = now()
      where name = ${name}
    `.execute(running);
    return draft.parts.slice(kept.length).map(({ object }) => object);
  });
}

/** The digest of all that is there, for whichever process ends the upload. */
export async function noteSha256(kysely: Kysely<Tables>, name: string, bytes: number, sha256: string): Promise<void> {
  await kysely
    .updateTable('registry_draft')
    .set({ sha256 })
    .where('name', '=', name)
    .where('bytes', '=', sql<number>`${bytes}`)
    .execute();
}

/** Answers the objects that it was made of. */
export async function removeDraft(kysely: Kysely<Tables>, name: string): Promise<string[]> {
  const removed = await kysely
    .deleteFrom('registry_draft')
    .where('name', '=', name)
    .returning(sql<DraftPart[]>`parts`.as('parts'))
    .executeTakeFirst();
  return removed?.parts.map(({ object }) => object) ?? [];
}

/** Drafts that nobody has written to for a day. */
export async function unchangedDrafts(kysely: Kysely<Tables>): Promise<string[]> {
  const old = await kysely
    .selectFrom('registry_draft')
    .select('name')
    .where('changed_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
  return old.map(({ name }) => name);
}

/** Those of the objects that no draft is made of: left by a process that died before it could say so. */
export async function unknownParts(kysely: Kysely<Tables>, objects: readonly string[]): Promise<string[]> {
  if (objects.length === 0) return [];
  const { rows } = await sql<{ object: string }>`
    select part ->> 'object' as object from registry_draft, jsonb_array_elements(parts) part
    where part ->> 'object' = any(${objects}::text[])
  `.execute(kysely);
  const known = new Set(rows.map(({ object }) => object));
  return objects.filter((object) => !known.has(object));
}
