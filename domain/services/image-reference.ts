import type { ReleaseContent, ServiceSource } from './settings.ts';

/** An image as people name it. */
export interface ImageReference {
  /** In the registry of the control plane. */
  own: boolean;
  /** Of an outside registry, with its port. */
  host: string;
  /** In the control plane's registry `<organization>/<project>/<service>`, or empty: the service's own. */
  repository: string;
  tag?: string;
  digest?: string;
}

const digestPattern = /^sha256:[0-9a-f]{64}$/;
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const repositoryPattern = new RegExp(`^${component}(?:/${component})*$`);
const hostPattern =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;

/** Where names without a host lead, as every tool for images has it. */
const usualHost = 'docker.io';

/** Parts of a name in the control plane's registry; Docker Hub, where names without a host lead, has at most two. */
const partsAtHome = 3;

/**
 * `registry.example.com/team/app:1.2`, `…@sha256:…`, `nginx`; `:1.2` or `@sha256:…` alone means the service's own
 * repository, and three parts without a host one of the control plane's registry. Undefined: it is none.
 */
export function parseImage(text: string): ImageReference | undefined {
  if (text.length > 500) return undefined;
  const [beforeDigest = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !digestPattern.test(digest))) return undefined;
  const colon = beforeDigest.lastIndexOf(':');
  const hasTag = colon > beforeDigest.lastIndexOf('/');
  const tag = hasTag ? beforeDigest.slice(colon + 1) : undefined;
  const name = hasTag ? beforeDigest.slice(0, colon) : beforeDigest;
  if (tag !== undefined && !tagPattern.test(tag)) return undefined;
  const version = { ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
  if (name === '') {
    return tag === undefined && digest === undefined ? undefined : { own: true, host: '', repository: '', ...version };
  }
  const [first = '', ...rest] = name.split('/');
  const named = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first.startsWith('['));
  if (!named && rest.length === partsAtHome - 1) {
    return repositoryPattern.test(name) ? { own: true, host: '', repository: name, ...version } : undefined;
  }
  const host = named ? first : usualHost;
  const plain = named ? rest.join('/') : name;
  const repository = host === usualHost && !plain.includes('/') ? `library/${plain}` : plain;
  if (!hostPattern.test(host) || !repositoryPattern.test(repository)) return undefined;
  return { own: false, host, repository, ...version };
}

/** A name by which people may mean an image of the control plane's registry. */
export interface NameAtHome {
  /** Organization, project and service, or the last of these. */
  path: string[];
  /** The name says its registry; otherwise it may be one of Docker Hub as well. */
  certain: boolean;
  tag?: string;
  digest?: string;
}

/** `hosts`: addresses of the control plane's registry. Undefined: an image of the service itself, or surely of elsewhere. */
export function nameAtHome(text: string, hosts: readonly string[]): NameAtHome | undefined {
  const named = parseImage(text);
  if (named === undefined) return undefined;
  const { own, host, repository, tag, digest } = named;
  const version = { ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
  if (own) return repository === '' ? undefined : { path: repository.split('/'), certain: true, ...version };
  if (hosts.includes(host.toLowerCase())) return { path: repository.split('/'), certain: true, ...version };
  if (host !== usualHost || text.startsWith(`${usualHost}/`)) return undefined;
  const path = text.includes('/') ? repository : repository.replace(/^library\//, '');
  return { path: path.split('/'), certain: false, ...version };
}

export function isImageReference(text: string): boolean {
  return parseImage(text) !== undefined;
}

export function isRegistryHost(text: string): boolean {
  return hostPattern.test(text);
}

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
