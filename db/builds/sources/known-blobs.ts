import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../postgres/tables.ts';
import type { Repository } from '../../registry/repositories.ts';
import type { ServiceRef } from '../../services/services.ts';

/**
 * Gives the service's repository a right to those of the blobs that a service of its project has, and answers their sizes. The
 * others are to be pushed, whoever else has them: a digest is no right.
 */
export async function linkKnownBlobs(
  kysely: Kysely<Tables>,
  { id, organizationId, projectId }: ServiceRef,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const ofProject = sql`
    select link.digest from registry_link link
    join service on service.organization_id = link.organization_id and service.id = link.service_id
    where link.organization_id = ${organizationId} and service.project_id = ${projectId}
      and service.deletion_id is null and link.digest = any(${digests}::text[])`;
  // A sweep that is about to delete one of them is waited for, and one that begins later leaves them alone.
  await sql`/* across tenants */
    update registry_blob set touched_at = now()
    where digest in (select digest from registry_blob where digest in (${ofProject})
                       and touched_at < now() - interval '1 hour' order by digest for update)
  `.execute(kysely);
  const { rows } = await sql<{ digest: string; size: number }>`
    with known as (
      select digest, size from registry_blob where digest in (${ofProject})
    ), linked as (
      insert into registry_link (service_id, digest, organization_id)
      select ${id}, digest, ${organizationId} from known order by digest
      on conflict (service_id, digest) do update set touched_at = now()
        where registry_link.touched_at < now() - interval '1 hour'
    )
    select digest, size::float8 as size from known
  `.execute(kysely);
  return new Map(rows.map(({ digest, size }) => [digest, size]));
}

/** Those of the source's blobs that the repository of its service has, with their sizes. */
export async function presentBlobs(
  kysely: Kysely<Tables>,
  organizationId: string,
  sourceId: string,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ digest: string; size: number }>`
    select link.digest, blob.size::float8 as size
    from build_source source
    join build_source_blob named
      on named.organization_id = source.organization_id and named.build_source_id = source.id
    join registry_link link
      on link.organization_id = source.organization_id and link.service_id = source.service_id
        and link.digest = named.digest
    join registry_blob blob on blob.digest = link.digest
    where source.organization_id = ${organizationId} and source.id = ${sourceId}
  `.execute(kysely);
  return new Map(rows.map(({ digest, size }) => [digest, size]));
}

/** Those of the digests that the source names, and whether the repository of its service has them. */
export async function namedBlobs(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
  sourceId: string,
  digests: readonly string[],
): Promise<Map<string, 'present' | 'missing'>> {
  const { rows } = await sql<{ digest: string; present: boolean }>`
    select named.digest, link.digest is not null as present
    from build_source_blob named
    left join registry_link link
      on link.organization_id = named.organization_id and link.service_id = ${id} and link.digest = named.digest
    where named.organization_id = ${organizationId} and named.build_source_id = ${sourceId}
      and named.digest = any(${digests}::text[])
  `.execute(kysely);
  return new Map(rows.map(({ digest, present }) => [digest, present ? 'present' : 'missing']));
}
