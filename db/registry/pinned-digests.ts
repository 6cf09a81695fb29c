import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import type { Repository } from './repositories.ts';

/** Digests of an organization that a release names which may still be deployed: their images stay, with or without a tag. */
export function pinnedDigests(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select content->'image'->>'digest' from release
             where release.organization_id = ${organizationId} and retired_at is null
               and content->'image'->>'digest' is not null`;
}

/**
 * Whether a release that may still be deployed reaches this manifest of a repository: names it, or a list that does. Its row and
 * those of the lists stay locked, so that a release which is just naming one of them is waited for and seen.
 */
export async function isPinned(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
  digest: string,
): Promise<boolean> {
  const naming = sql`with recursive naming (digest) as (
    select ${digest}::text
    union
    select reference.manifest from naming
    join registry_reference reference on reference.organization_id = ${organizationId}
      and reference.service_id = ${id} and reference.digest = naming.digest
  )`;
  await sql`
    ${naming} select from registry_manifest
    where organization_id = ${organizationId} and service_id = ${id} and digest in (select digest from naming)
    order by digest for update of registry_manifest
  `.execute(kysely);
  const { rows } = await sql<{ pinned: boolean }>`
    ${naming} select exists (select from naming where digest in (${pinnedDigests(sql`${organizationId}`)})) as pinned
  `.execute(kysely);
  return rows[0]?.pinned === true;
}
