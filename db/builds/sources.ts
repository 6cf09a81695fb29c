import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { SourceFile } from '../../domain/builds/manifest.ts';
import { manifestText } from '../../domain/builds/manifest.ts';
import type { Author } from '../engine/author.ts';
import { deleteInBatches } from '../engine/delete-in-batches.ts';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { Repository } from '../registry/repositories.ts';
import type { ServiceRef } from '../services/services.ts';

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

export interface Source {
  id: string;
  digest: string;
  sizeBytes: number;
  createdAt: Date;
}

const columns = [
  'build_source.id',
  'build_source.digest',
  sql<number>`build_source.size_bytes::float8`.as('sizeBytes'),
  'build_source.created_at as createdAt',
] as const;

/** The digest of a folder: of what it has, in whatever order it is listed. */
function manifestDigest(files: readonly SourceFile[]): string {
  return `sha256:${createHash('sha256').update(manifestText(files)).digest('hex')}`;
}

/** Keeps a folder as a source of the service. One with the same files is answered as it is, and stays for a while longer. */
export async function putSource(
  { kysely, audit }: Pick<Effect, 'kysely' | 'audit'>,
  { id: serviceId, organizationId, projectId, name }: ServiceRef & { name: string },
  files: readonly SourceFile[],
  by: Author,
): Promise<Source> {
  const own = tenant(kysely, organizationId);
  const [id, digest] = [uuid(), manifestDigest(files)];
  const source = await own
    .insertInto('build_source')
    .values({
      ...{ id, project_id: projectId, service_id: serviceId, digest },
      files: sql`${JSON.stringify(files)}::jsonb`,
      size_bytes: files.reduce((sum, { size }) => sum + size, 0),
      ...{ created_by_id: by.id, created_by_name: by.name },
    })
    .onConflict((conflict) => conflict.columns(['service_id', 'digest']).doUpdateSet({ touched_at: sql`now()` }))
    .returning(columns)
    .executeTakeFirstOrThrow();
  if (source.id !== id) return source;
  const digests = [...new Set(files.map((file) => file.digest))];
  await sql`
    insert into build_source_blob (build_source_id, digest, organization_id)
    select ${id}, digest, ${organizationId} from unnest(${digests}::text[]) as digest
  `.execute(kysely);
  const details = { source: id, digest, files: files.length, bytes: source.sizeBytes };
  audit('service.source_uploaded', { organizationId, id: serviceId, name }, details);
  return source;
}

/** A source of the service. */
export async function findSource(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<ServiceRef, 'id' | 'organizationId'>,
  sourceId: string,
): Promise<Source | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('build_source')
    .select(columns)
    .where('id', '=', sourceId)
    .where('service_id', '=', id)
    .executeTakeFirst();
}

/**
 * The same, in the transaction in which a build of it is requested: a sweep that is about to delete it is waited for, and one
 * that begins later leaves it alone.
 */
export async function takeSource(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<ServiceRef, 'id' | 'organizationId'>,
  sourceId: string,
): Promise<Source | undefined> {
  return await tenant(kysely, organizationId)
    .updateTable('build_source')
    .set({ touched_at: sql`now()` })
    .where('id', '=', sourceId)
    .where('service_id', '=', id)
    .returning(columns)
    .executeTakeFirst();
}

/** The digests that its service's repository does not have. */
export async function missingBlobs(
  kysely: Kysely<Tables>,
  organizationId: string,
  sourceId: string,
): Promise<string[]> {
  const { rows } = await sql<{ digest: string }>`
    select named.digest from build_source_blob named
    join build_source source
      on source.organization_id = named.organization_id and source.id = named.build_source_id
    where named.organization_id = ${organizationId} and named.build_source_id = ${sourceId}
      and not exists (select from registry_link link
                      where link.organization_id = named.organization_id and link.service_id = source.service_id
                        and link.digest = named.digest)
    order by named.digest
  `.execute(kysely);
  return rows.map(({ digest }) => digest);
}

/** The source of a build that runs on a cluster now; undefined of any other build. */
export async function sourceOfRunningBuild(
  kysely: Kysely<Tables>,
  { clusterId, organizationId }: { clusterId: string; organizationId: string },
  buildId: string,
): Promise<{ id: string; files: SourceFile[] } | undefined> {
  const { rows } = await sql<{ id: string; files: SourceFile[] }>`
    select source.id, source.files from build
    join build_source source
      on source.organization_id = build.organization_id and source.id = build.build_source_id
        and source.service_id = build.service_id
    where build.organization_id = ${organizationId} and build.id = ${buildId} and build.cluster_id = ${clusterId}
      and build.state = 'running'
  `.execute(kysely);
  return rows[0];
}

/**
 * Deletes sources a day after the last build of them has ended, or after they came if there is none. Their blobs are the
 * registry's to delete, unless something else names them.
 */
export async function sweepSources(kysely: Kysely<Tables>, signal?: AbortSignal): Promise<number> {
  const where = sql`/* across tenants */ touched_at < now() - interval '1 day' and not exists (
    select from build
    where build.organization_id = build_source.organization_id and build.build_source_id = build_source.id
      and (build.finished_at is null or build.finished_at >= now() - interval '1 day'))`;
  // A source takes its blobs' rows along, thousands of them.
  return await deleteInBatches(kysely, {
    ...{ table: 'build_source', where, most: 20, signal },
    along: sql.ref('touched_at'),
  });
}
