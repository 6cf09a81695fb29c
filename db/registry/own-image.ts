import { type Kysely, sql } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import { platformOf } from '../../domain/services/image-fit.ts';
import type { ResolvedImage } from '../change-sets/apply/resolved-image.ts';
import type { Effect } from '../engine/effect.ts';
import { refuseBeyond } from '../engine/limits/quota.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { linkBlobs, recordBlobs, type StoredBlob } from './blobs.ts';
import { recordImage } from './manifests.ts';
import { readImageConfig, resolveManifest } from './references.ts';
import { lockRepository, type Repository } from './repositories.ts';

interface Service {
  organizationId: string;
  serviceId: string;
}

/** An image in the service's own repository, by digest or tag; without `found` there is none. */
export async function ownImage(
  kysely: Kysely<Tables>,
  { organizationId, serviceId }: Service,
  { tag, digest }: { tag?: string | undefined; digest?: string | undefined },
): Promise<{ repository: string; found: ResolvedImage | undefined }> {
  const repository = await pathOf(kysely, { organizationId, serviceId });
  const manifest = await resolveManifest(kysely, organizationId, serviceId, digest ?? tag ?? '');
  if (manifest === undefined) return { repository, found: undefined };
  const variants = await readImageConfig(kysely, organizationId, serviceId, manifest.digest);
  const found = {
    platforms: variants.map(({ config, annotations }) => platformOf(config, annotations)),
    image: { repository, digest: manifest.digest, own: true },
    imageRef: `${repository}${tag === undefined ? '' : `:${tag}`}@${manifest.digest}`,
  };
  return { repository, found };
}

/** `<organization>/<project>/<service>`, by their slugs of today. */
export async function pathOf(kysely: Kysely<Tables>, { organizationId, serviceId }: Service): Promise<string> {
  const { organization, project, service } = await tenant(kysely, organizationId)
    .selectFrom('service')
    .innerJoin('project', 'project.id', 'service.project_id')
    .innerJoin('organization', 'organization.id', 'service.organization_id')
    .select(['organization.slug as organization', 'project.slug as project', 'service.slug as service'])
    .where('service.id', '=', serviceId)
    .executeTakeFirstOrThrow();
  return `${organization}/${project}/${service}`;
}

/**
 * Gives a repository an image of another one of its organization, with all that it names: a service deploys what is its own, so that agents
 * pull it, releases pin it and promotions carry it as they do any other. Bytes stay where they are.
 */
export async function copyImage(
  { kysely, audit }: Pick<Effect, 'kysely' | 'audit'>,
  from: Repository,
  to: Repository,
  digest: string,
  mostManifests: number,
): Promise<void> {
  if (from.organizationId !== to.organizationId) throw new Error('Images are not copied between organizations.');
  const { organizationId } = to;
  await lockRepository(kysely, to.id);
  const { rows: manifests } = await sql<{ digest: string }>`
    with recursive named (digest) as (
      select ${digest}::text
      union
      select reference.digest from named
      join registry_reference reference on reference.organization_id = ${organizationId}
        and reference.service_id = ${from.id} and reference.manifest = named.digest
    )
    select digest from registry_manifest
    where organization_id = ${organizationId} and service_id = ${from.id} and digest in (select digest from named)
    order by digest for share
  `.execute(kysely);
  const digests = manifests.map((one) => one.digest);
  if (!digests.includes(digest)) throw new Problem('conflict', `The image ${digest} was deleted from ${from.path}.`);
  const { rows: blobs } = await sql<StoredBlob>`
    select blob.digest, blob.size::float8 as size from registry_link link
    join registry_blob blob on blob.digest = link.digest
    where link.organization_id = ${organizationId} and link.service_id = ${from.id} and link.digest in (
      select digest from registry_reference
      where organization_id = ${organizationId} and service_id = ${from.id} and manifest = any(${digests}::text[]))
  `.execute(kysely);
  await recordBlobs(kysely, blobs);
  await linkBlobs(
    kysely,
    to,
    blobs.map((blob) => blob.digest),
  );
  await refuseBeyond(
    { kysely },
    {
      setting: 'REGISTRY_MANIFESTS_PER_REPOSITORY',
      most: mostManifests,
      owner: to.id,
      things: 'manifests in a repository',
      rows: sql`registry_manifest where organization_id = ${organizationId} and service_id = ${to.id}`,
      remedy: 'delete some',
    },
  );
  await sql`
    insert into registry_manifest (service_id, digest, organization_id, media_type, content, size, config, subject, artifact_type, annotations)
    select ${to.id}, digest, organization_id, media_type, content, size, config, subject, artifact_type, annotations
    from registry_manifest
    where organization_id = ${organizationId} and service_id = ${from.id} and digest = any(${digests}::text[])
    order by digest
    on conflict (service_id, digest) do update set touched_at = now()
  `.execute(kysely);
  await sql`
    insert into registry_reference (service_id, manifest, digest, organization_id)
    select ${to.id}, manifest, digest, organization_id from registry_reference
    where organization_id = ${organizationId} and service_id = ${from.id} and manifest = any(${digests}::text[])
    on conflict do nothing
  `.execute(kysely);
  recordImage({ audit }, 'pushed', to, digest, digest);
}
