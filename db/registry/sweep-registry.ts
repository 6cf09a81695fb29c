import { type Kysely, sql } from 'kysely';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Tables } from '../postgres/tables.ts';
import { pinnedDigests } from './pinned-digests.ts';
import { lockRepository } from './repositories.ts';

/** How long a thing that nobody needs stays since somebody had last to do with it. */
const grace = sql`interval '1 day'`;

export interface SweptFiles {
  /** Of uploads that nobody went on with. */
  onDraft: (draft: string) => Promise<void>;
  /** Called while the row is deleted: whoever pushes the same blob waits until the file is deleted as well. */
  onBlob: (digest: string) => Promise<void>;
  signal?: AbortSignal | undefined;
}

/**
 * Deletes what nobody can need any more: uploads that were given up, manifests without tag, release, list or subject,
 * a repository's rights to blobs that no manifest and no uploaded source there names, and blobs to which nobody has a right.
 */
export async function sweepRegistry(kysely: Kysely<Tables>, swept: SweptFiles): Promise<void> {
  const { onDraft, signal } = swept;
  const uploads = await sql<{ draft: string }>`/* across tenants */
    delete from registry_upload where touched_at < now() - ${grace} returning draft
  `.execute(kysely);
  for (const { draft } of uploads.rows) await onDraft(draft);
  for (const repository of await repositoriesToSweep(kysely)) {
    if (signal?.aborted) return;
    await sweepManifests(kysely, repository);
  }
  await deleteInBatches(kysely, {
    table: 'registry_link',
    where: sql`/* across tenants */ touched_at < now() - ${grace} and not exists (
      select from registry_reference reference
      where reference.organization_id = registry_link.organization_id
        and reference.service_id = registry_link.service_id and reference.digest = registry_link.digest)
      and not exists (
      select from build_source_blob named
      join build_source source
        on source.organization_id = named.organization_id and source.id = named.build_source_id
      where named.organization_id = registry_link.organization_id and named.digest = registry_link.digest
        and source.service_id = registry_link.service_id)`,
    along: sql.ref('touched_at'),
    signal,
  });
  await sweepBlobs(kysely, swept);
}

interface Swept {
  id: string;
  organizationId: string;
}

const needless = (organizationId: ReturnType<typeof sql>) => sql`
  manifest.touched_at < now() - ${grace}
  and not exists (select from registry_tag tag
                  where tag.organization_id = manifest.organization_id and tag.service_id = manifest.service_id
                    and tag.digest = manifest.digest)
  and not exists (select from registry_reference parent
                  where parent.organization_id = manifest.organization_id
                    and parent.service_id = manifest.service_id and parent.digest = manifest.digest)
  and not exists (select from registry_manifest subject
                  where subject.service_id = manifest.service_id and subject.digest = manifest.subject)
  and manifest.digest not in (${pinnedDigests(organizationId)})`;

async function repositoriesToSweep(kysely: Kysely<Tables>): Promise<Swept[]> {
  const { rows } = await sql<Swept>`/* across tenants */
    select distinct service_id as id, organization_id as "organizationId" from registry_manifest manifest
    where ${needless(sql`manifest.organization_id`)}
  `.execute(kysely);
  return rows;
}

/** A list goes first, then the images that only it named, then what was said about them. */
async function sweepManifests(kysely: Kysely<Tables>, { id, organizationId }: Swept): Promise<void> {
  for (let deleted = 1n; deleted > 0n; ) {
    deleted = await kysely.transaction().execute(async (running) => {
      await lockRepository(running, id);
      const { numAffectedRows } = await sql`
        delete from registry_manifest manifest
        where service_id = ${id} and organization_id = ${organizationId} and ${needless(sql`${organizationId}`)}
      `.execute(running);
      return numAffectedRows ?? 0n;
    });
  }
}

async function sweepBlobs(kysely: Kysely<Tables>, { onBlob, signal }: SweptFiles): Promise<void> {
  const unlinked = sql`/* across tenants */ touched_at < now() - ${grace}
    and not exists (select from registry_link link where link.digest = registry_blob.digest)`;
  for (; !signal?.aborted; ) {
    const { rows } = await sql<{ digest: string }>`/* across tenants */
      select digest from registry_blob where ${unlinked} order by touched_at limit 500
    `.execute(kysely);
    if (rows.length === 0) return;
    for (const { digest } of rows) {
      if (signal?.aborted) return;
      await kysely.transaction().execute(async (running) => {
        const { numAffectedRows } = await sql`/* across tenants */
          delete from registry_blob where digest = ${digest} and ${unlinked}
        `.execute(running);
        if (numAffectedRows === 1n) await onBlob(digest);
      });
    }
  }
}

/** Those of the digests that no row knows: their files were left by a process that died between file and row. */
export async function unknownBlobs(kysely: Kysely<Tables>, digests: readonly string[]): Promise<string[]> {
  if (digests.length === 0) return [];
  const known = await kysely.selectFrom('registry_blob').select('digest').where('digest', 'in', digests).execute();
  const rows = new Set(known.map(({ digest }) => digest));
  return digests.filter((digest) => !rows.has(digest));
}

/**
 * Deletes a blob that no row knows, unless somebody has just pushed it. Whoever pushes it at this moment waits until the
 * file is deleted as well.
 */
export async function forgetUnknownBlob(
  kysely: Kysely<Tables>,
  digest: string,
  onBlob: (digest: string) => Promise<void>,
): Promise<void> {
  await kysely.transaction().execute(async (running) => {
    // A row of its own, so that others meet it. It never becomes visible.
    const { numInsertedOrUpdatedRows } = await running
      .insertInto('registry_blob')
      .values({ digest, size: 0 })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) return;
    await onBlob(digest);
    await running.deleteFrom('registry_blob').where('digest', '=', digest).execute();
  });
}

/** Those of the drafts that belong to no upload. */
export async function unknownDrafts(kysely: Kysely<Tables>, drafts: readonly string[]): Promise<string[]> {
  if (drafts.length === 0) return [];
  const { rows } = await sql<{ draft: string }>`/* across tenants */
    select draft from registry_upload where draft = any(${drafts}::text[])
  `.execute(kysely);
  const known = new Set(rows.map(({ draft }) => draft));
  return drafts.filter((draft) => !known.has(draft));
}
