import { type Kysely, sql } from 'kysely';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { recordImage, type StoredManifest } from './manifests.ts';
import { isPinned } from './pinned-digests.ts';
import { lockRepository, type Repository } from './repositories.ts';

export function isDigest(reference: string): boolean {
  return /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(reference);
}

export const tagPattern = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/**
 * The manifest that a tag or a digest means in the repository of a service. A release is about to name it: no sweep
 * takes it for a day from now.
 */
export async function resolveManifest(
  kysely: Kysely<Tables>,
  organizationId: string,
  repositoryId: string,
  reference: string,
): Promise<StoredManifest | undefined> {
  const digest = await digestOf(kysely, { id: repositoryId, organizationId }, reference);
  if (digest === undefined) return undefined;
  return await tenant(kysely, organizationId)
    .updateTable('registry_manifest')
    .set({ touched_at: sql`now()` })
    .where('service_id', '=', repositoryId)
    .where('digest', '=', digest)
    .returning(['digest', 'media_type as mediaType', 'size'])
    .executeTakeFirst();
}

/** The manifest itself, to the byte. */
export async function readManifest(
  kysely: Kysely<Tables>,
  repository: Pick<Repository, 'id' | 'organizationId'>,
  reference: string,
): Promise<(StoredManifest & { content: Buffer }) | undefined> {
  const digest = await digestOf(kysely, repository, reference);
  if (digest === undefined) return undefined;
  return await tenant(kysely, repository.organizationId)
    .selectFrom('registry_manifest')
    .select(['digest', 'media_type as mediaType', 'size', 'content'])
    .where('service_id', '=', repository.id)
    .where('digest', '=', digest)
    .executeTakeFirst();
}

export interface ImageVariant {
  digest: string;
  /** The configuration of the OCI: `config.ExposedPorts`, `config.Cmd`, `os`, `architecture`. */
  config: JsonObject;
  /** Of the image's manifest: says whether it is bound to a machine's own system, for one. */
  annotations: Record<string, string>;
}

/** The configurations of an image: one, or one for each image of a list. */
export async function readImageConfig(
  kysely: Kysely<Tables>,
  organizationId: string,
  repositoryId: string,
  digest: string,
): Promise<ImageVariant[]> {
  const own = tenant(kysely, organizationId);
  const rows = await own
    .selectFrom('registry_manifest')
    .select(['digest', 'config', 'content'])
    .where('service_id', '=', repositoryId)
    .where('config', 'is not', null)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('registry_manifest.digest', '=', digest),
        exists(
          selectFrom('registry_reference as child')
            .select('child.digest')
            .where('child.service_id', '=', repositoryId)
            .where('child.manifest', '=', digest)
            .whereRef('child.digest', '=', 'registry_manifest.digest'),
        ),
      ]),
    )
    .orderBy('digest')
    .execute();
  return rows.map(({ digest: one, config, content }) => ({
    digest: one,
    config: config ?? {},
    annotations: annotationsOf(content),
  }));
}

export type Deleted = 'deleted' | 'pinned' | 'unknown';

/** Deletes a tag, or by a digest the manifest with all its tags. One that a release reaches stays. */
export async function deleteManifest(
  { kysely, audit }: Pick<Effect, 'kysely' | 'audit'>,
  repository: Repository,
  reference: string,
): Promise<Deleted> {
  const { id, organizationId } = repository;
  await lockRepository(kysely, id);
  const noted = (count: bigint): Deleted => {
    if (count === 0n) return 'unknown';
    recordImage({ audit }, 'deleted', repository, reference);
    return 'deleted';
  };
  const own = tenant(kysely, organizationId);
  if (!isDigest(reference)) {
    const { numDeletedRows } = await own
      .deleteFrom('registry_tag')
      .where('service_id', '=', id)
      .where('name', '=', reference)
      .executeTakeFirst();
    return noted(numDeletedRows);
  }
  if (await isPinned(kysely, repository, reference)) return 'pinned';
  const { numDeletedRows } = await own
    .deleteFrom('registry_manifest')
    .where('service_id', '=', id)
    .where('digest', '=', reference)
    .executeTakeFirst();
  return noted(numDeletedRows);
}

async function digestOf(
  kysely: Kysely<Tables>,
  { id, organizationId }: Pick<Repository, 'id' | 'organizationId'>,
  reference: string,
): Promise<string | undefined> {
  if (isDigest(reference)) return reference;
  if (!tagPattern.test(reference)) return undefined;
  const tag = await tenant(kysely, organizationId)
    .selectFrom('registry_tag')
    .select('digest')
    .where('service_id', '=', id)
    .where('name', '=', reference)
    .executeTakeFirst();
  return tag?.digest;
}

function annotationsOf(content: Buffer): Record<string, string> {
  const { annotations }: { annotations?: Record<string, string> } = JSON.parse(content.toString('utf8'));
  return annotations ?? {};
}
