import type { Kysely } from 'kysely';
import { lastImage } from '../../db/change-sets/apply/resolved-image.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { readManifest } from '../../db/registry/references.ts';
import type { ServiceView } from '../../db/services/services.ts';
import type { ServicePlace } from '../../db/services/wanted-settings.ts';
import { Problem } from '../../domain/problems.ts';
import { parseImage } from '../../domain/services/image-reference.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { repositoryOf } from '../registry/names-at-home.ts';

/** An image as it would be deployed now: in our registry, or at an outside one. */
export type WantedImage =
  | { own: true; repositoryId: string; digest: string; imageRef: string }
  | { own: false; host: string; repository: string; reference: string; imageRef: string; credentialId?: string };

/** Its source says which: the digest of the last release with that source, else what its tag means now. */
export async function wantedImage(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
  service: ServiceView,
  place: ServicePlace,
): Promise<WantedImage> {
  const { organizationId, environmentId, settings } = place;
  const { kind, imageRepository, registryCredentialId: credentialId } = settings.source;
  const named = kind === 'image' ? parseImage(imageRepository) : undefined;
  if (named === undefined) {
    throw new Problem('conflict', `"${service.name}" has no image in "${place.name}": name one in its source first.`);
  }
  const last = await lastImage(kysely, { organizationId, environmentId, serviceId: service.id }, settings);
  const reference = last?.image.digest ?? named.digest ?? named.tag ?? 'latest';
  const imageRef = last?.imageRef ?? imageRepository;
  if (!named.own) {
    const { host, repository } = named;
    return {
      own: false,
      host,
      repository,
      reference,
      imageRef,
      ...(credentialId === undefined ? {} : { credentialId }),
    };
  }
  const own = { id: service.id, organizationId };
  const takenOver = last !== undefined || named.repository === '';
  const repository = takenOver ? own : await repositoryOf(kysely, caller, named.repository);
  const found = repository && (await readManifest(kysely, repository, reference));
  if (found !== undefined) return { own: true, repositoryId: repository?.id ?? own.id, digest: found.digest, imageRef };
  throw new Problem('image-not-resolved', `"${service.name}" has no image ${imageRepository}: push it first.`);
}
