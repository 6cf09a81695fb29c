import { type Kysely, sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import { refuseBeyond } from '../engine/limits/quota.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { lockRepository, type Repository } from './repositories.ts';

type RepositoryName = Pick<Repository, 'id' | 'organizationId' | 'path'>;

export interface Part {
  digest: string;
  size: number;
}

export interface NewManifest {
  digest: string;
  mediaType: string;
  content: Buffer;
  /** Absent: it is pushed by its digest alone. */
  tag?: string | undefined;
  blobs: readonly Part[];
  manifests: readonly Part[];
  subject?: string | undefined;
  artifactType: string;
  annotations?: Record<string, string> | undefined;
  config?: JsonObject | undefined;
}

/** What a manifest names and the repository does not have, or has in another size. */
export interface Missing {
  kind: 'blob' | 'manifest';
  digest: string;
  why: 'unknown' | 'size';
}

export interface StoredManifest {
  digest: string;
  mediaType: string;
  size: number;
}

/** Stores a manifest and moves its tag, if everything it names is there. */
export async function putManifest(
  { kysely, audit }: Pick<Effect, 'kysely' | 'audit'>,
  { id, organizationId, path }: RepositoryName,
  manifest: NewManifest,
  mostManifests: number,
): Promise<Missing | undefined> {
  await lockRepository(kysely, id);
  const own = tenant(kysely, organizationId);
  const { digest, tag, content } = manifest;
  const missing = await missingOf(kysely, { id, organizationId }, manifest);
  if (missing !== undefined) return missing;
  const known = await own
    .updateTable('registry_manifest')
    .set({ touched_at: sql`now()`, media_type: manifest.mediaType })
    .where('service_id', '=', id)
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (known.numUpdatedRows === 0n) {
    await refuseBeyond(
      { kysely },
      {
        setting: 'REGISTRY_MANIFESTS_PER_REPOSITORY',
        most: mostManifests,
        owner: id,
        things: 'manifests in a repository',
        rows: sql`registry_manifest where organization_id = ${organizationId} and service_id = ${id}`,
        remedy: 'delete some',
      },
    );
    const { mediaType, subject = null, artifactType, annotations, config } = manifest;
    await own
      .insertInto('registry_manifest')
      .values({
        service_id: id,
        digest,
        media_type: mediaType,
        content,
        size: content.length,
        subject,
        artifact_type: artifactType,
        annotations: annotations === undefined ? null : asJson(annotations),
        config: config === undefined ? null : asJson(config),
      })
      .execute();
    const named = [...new Set([...manifest.blobs, ...manifest.manifests].map((part) => part.digest))];
    if (named.length > 0) {
      await own
        .insertInto('registry_reference')
        .values(named.map((one) => ({ service_id: id, manifest: digest, digest: one })))
        .execute();
    }
  }
  if (tag !== undefined) await setTag({ kysely }, { id, organizationId }, { tag, digest }, mostManifests);
  // A client that pushes what is there under its digest changes nothing.
  if (tag !== undefined || known.numUpdatedRows === 0n)
    recordImage({ audit }, 'pushed', { id, organizationId, path }, tag ?? digest, digest);
  return undefined;
}

/** In the history of the service, whose id the repository has. */
export function recordImage(
  { audit }: Pick<Effect, 'audit'>,
  deed: 'pushed' | 'deleted',
  { id, organizationId, path }: RepositoryName,
  reference: string,
  digest?: string,
): void {
  const name = `${path}${reference.includes(':') ? '@' : ':'}${reference}`;
  audit(`image.${deed}`, { organizationId, id, name }, digest === undefined ? undefined : { digest });
}

async function setTag(
  { kysely }: Pick<Effect, 'kysely'>,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
  { tag, digest }: { tag: string; digest: string },
  mostTags: number,
): Promise<void> {
  const own = tenant(kysely, organizationId);
  const moved = await own
    .updateTable('registry_tag')
    .set({ digest, updated_at: sql`now()` })
    .where('service_id', '=', id)
    .where('name', '=', tag)
    .executeTakeFirst();
  if (moved.numUpdatedRows > 0n) return;
  await refuseBeyond(
    { kysely },
    {
      setting: 'REGISTRY_MANIFESTS_PER_REPOSITORY',
      most: mostTags,
      owner: `${id} tags`,
      things: 'tags in a repository',
      rows: sql`registry_tag where organization_id = ${organizationId} and service_id = ${id}`,
      remedy: 'delete some',
    },
  );
  await own.insertInto('registry_tag').values({ service_id: id, name: tag, digest }).execute();
}

/** Touches what is named, so that no sweep takes it, and answers the first thing that is not there. */
async function missingOf(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
  { blobs, manifests }: Pick<NewManifest, 'blobs' | 'manifests'>,
): Promise<Missing | undefined> {
  const own = tenant(kysely, organizationId);
  if (blobs.length > 0) {
    const digests = blobs.map(({ digest }) => digest);
    await own
      .updateTable('registry_link')
      .set({ touched_at: sql`now()` })
      .where('service_id', '=', id)
      .where('digest', 'in', digests)
      .execute();
    const there = await own
      .selectFrom('registry_link')
      .innerJoin('registry_blob', 'registry_blob.digest', 'registry_link.digest')
      .select(['registry_blob.digest', sql<number>`registry_blob.size::float8`.as('size')])
      .where('registry_link.service_id', '=', id)
      .where('registry_link.digest', 'in', digests)
      .execute();
    const missing = firstMissing('blob', blobs, there);
    if (missing !== undefined) return missing;
  }
  if (manifests.length === 0) return undefined;
  const there = await own
    .updateTable('registry_manifest')
    .set({ touched_at: sql`now()` })
    .where('service_id', '=', id)
    .where(
      'digest',
      'in',
      manifests.map(({ digest }) => digest),
    )
    .returning(['digest', 'size'])
    .execute();
  return firstMissing('manifest', manifests, there);
}

function firstMissing(kind: Missing['kind'], named: readonly Part[], there: readonly Part[]): Missing | undefined {
  const sizes = new Map(there.map(({ digest, size }) => [digest, size]));
  for (const { digest, size } of named) {
    const known = sizes.get(digest);
    if (known === undefined) return { kind, digest, why: 'unknown' };
    if (known !== size) return { kind, digest, why: 'size' };
  }
  return undefined;
}

function asJson(value: object) {
  return sql<JsonObject>`${JSON.stringify(value)}::jsonb`;
}
