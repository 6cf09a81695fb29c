import { parseImage } from './image-reference.ts';
import type { ReleaseContent, ServiceSource } from './settings.ts';

/**
 * A source that names this very image by its digest, so that nothing which is applied later resolves another one. A service
 * that is built keeps its source: its next build is what takes the image's place.
 */
export function pinnedSource(
  source: ServiceSource,
  { repository, digest, own, registryCredentialId }: ReleaseContent['image'],
  imageRef: string,
): ServiceSource {
  if (source.kind !== 'image') return source;
  const { registryCredentialId: _, ...kept } = source;
  const credential = registryCredentialId === undefined ? {} : { registryCredentialId };
  // As people read it, with its tag; in the service's own repository without the name of that.
  const read = own && imageRef.startsWith(repository) ? imageRef.slice(repository.length) : imageRef;
  const named = parseImage(read);
  // In our registry names of projects and services change, and the digest alone stays.
  const fits = named?.own === own && named.digest === digest && !(own && named.repository !== '');
  return { ...kept, ...credential, imageRepository: fits ? read : `${own ? '' : repository}@${digest}` };
}
