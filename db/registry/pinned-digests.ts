import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';

/** Digests of an organization that a release names which may still be deployed: their images stay, with or without a tag. */
export function pinnedDigests(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select content->'image'->>'digest' from release
             where release.organization_id = ${organizationId} and retired_at is null
               and content->'image'->>'digest' is not null`;
}

export async function isPinned(kysely: Kysely<Tables>, organizationId: string, digest: string): Promise<boolean> {
  const { rows } = await sql<{ pinned: boolean }>`
    select ${digest} in (${pinnedDigests(sql`${organizationId}`)}) as pinned
  `.execute(kysely);
  return rows[0]?.pinned === true;
}
