import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { lockRepository, type Repository } from './repositories.ts';

export interface StoredBlob {
  digest: string;
  size: number;
}

/** The blob, if the repository has it. */
export async function findBlob(
  kysely: Kysely<Tables>,
  { id, organizationId }: Repository,
  digest: string,
): Promise<StoredBlob | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('registry_link')
    .innerJoin('registry_blob', 'registry_blob.digest', 'registry_link.digest')
    .select(['registry_blob.digest', sql<number>`registry_blob.size::float8`.as('size')])
    .where('registry_link.service_id', '=', id)
    .where('registry_link.digest', '=', digest)
    .executeTakeFirst();
}

/** A client that found a blob will not push it: it has a while from now to push the manifest that names it. */
export async function touchLink(
  kysely: Kysely<Tables>,
  { id, organizationId }: Repository,
  digest: string,
): Promise<void> {
  await tenant(kysely, organizationId)
    .updateTable('registry_link')
    .set({ touched_at: sql`now()` })
    .where('service_id', '=', id)
    .where('digest', '=', digest)
    .where('touched_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute();
}

/** Gives the repository a right to the blob. Run in one transaction with whatever puts the blob into its place. */
export async function linkBlob(kysely: Kysely<Tables>, { id, organizationId }: Repository, digest: string) {
  await tenant(kysely, organizationId)
    .insertInto('registry_link')
    .values({ service_id: id, digest })
    .onConflict((conflict) => conflict.columns(['service_id', 'digest']).doUpdateSet({ touched_at: sql`now()` }))
    .execute();
}

/** Locks the blob's row until the transaction ends: whoever is deleting the same blob is waited for. */
export async function recordBlob(kysely: Kysely<Tables>, { digest, size }: StoredBlob): Promise<void> {
  await kysely
    .insertInto('registry_blob')
    .values({ digest, size })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ touched_at: sql`now()` }))
    .execute();
}

/** The same of many, in the order of their digests, so that two that record the same ones wait for each other and no longer. */
export async function recordBlobs(kysely: Kysely<Tables>, blobs: readonly StoredBlob[]): Promise<void> {
  const [digests, sizes] = [blobs.map(({ digest }) => digest), blobs.map(({ size }) => size)];
  await sql`/* across tenants */
    insert into registry_blob (digest, size)
    select digest, size from unnest(${digests}::text[], ${sizes}::bigint[]) as blob (digest, size) order by digest
    on conflict (digest) do update set touched_at = now()
  `.execute(kysely);
}

/** Gives the repository a right to each of them. */
export async function linkBlobs(
  kysely: Kysely<Tables>,
  { id, organizationId }: Repository,
  digests: readonly string[],
): Promise<void> {
  await sql`
    insert into registry_link (service_id, digest, organization_id)
    select ${id}, digest, ${organizationId} from unnest(${digests}::text[]) as digest order by digest
    on conflict (service_id, digest) do update set touched_at = now()
  `.execute(kysely);
}

/** Links a blob of another repository of the same organization. False: that one does not have it. */
export async function mountBlob(
  kysely: Kysely<Tables>,
  repository: Repository,
  from: Repository,
  digest: string,
): Promise<boolean> {
  return await kysely.transaction().execute(async (running) => {
    const source = await findBlob(running, from, digest);
    if (source === undefined) return false;
    await recordBlob(running, source);
    await linkBlob(running, repository, digest);
    return true;
  });
}

/** Ends the repository's right to a blob. `named`: a manifest there needs it. */
export async function unlinkBlob(
  kysely: Kysely<Tables>,
  { id, organizationId }: Repository,
  digest: string,
): Promise<'deleted' | 'named' | 'unknown'> {
  return await kysely.transaction().execute(async (running) => {
    await lockRepository(running, id);
    const own = tenant(running, organizationId);
    const named = await own
      .selectFrom('registry_reference')
      .select('manifest')
      .where('service_id', '=', id)
      .where('digest', '=', digest)
      .limit(1)
      .executeTakeFirst();
    if (named !== undefined) return 'named';
    const { numDeletedRows } = await own
      .deleteFrom('registry_link')
      .where('service_id', '=', id)
      .where('digest', '=', digest)
      .executeTakeFirst();
    return numDeletedRows > 0n ? 'deleted' : 'unknown';
  });
}

/** The bytes that an organization keeps: each blob once, however many repositories have it, and what is being pushed. */
export async function usedBytes(kysely: Kysely<Tables>, organizationId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select ((select coalesce(sum(size), 0) from registry_blob
             where digest in (select digest from registry_link where organization_id = ${organizationId}))
          + (select coalesce(sum(size), 0) from registry_manifest where organization_id = ${organizationId})
          + (select coalesce(sum(received), 0) from registry_upload where organization_id = ${organizationId}))::float8 as bytes
  `.execute(kysely);
  return rows[0]?.bytes ?? 0;
}
