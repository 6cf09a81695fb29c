import { z } from 'zod';
import type { NewManifest, Part } from '../../db/registry/manifests.ts';
import { isDigest } from '../../db/registry/references.ts';
import { cleanText } from '../agent-link/clean-text.ts';
import { RegistryError } from './registry-error.ts';

export const largestManifest = 4 * 1024 * 1024;
/** Lists of referrers repeat them. */
const mostAnnotations = 256 * 1024;

const images = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'];
const lists = ['application/vnd.oci.image.index.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json'];

const text = z.string().max(1024);
const descriptor = z.object({
  mediaType: text.default(''),
  digest: z.string().refine(isDigest, 'must be a digest of sha256 or sha512'),
  size: z.int().min(0),
  urls: z.array(text).optional(),
});
const common = {
  schemaVersion: z.literal(2),
  mediaType: text.optional(),
  artifactType: text.optional(),
  subject: descriptor.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
};
const image = z.object({ ...common, config: descriptor, layers: z.array(descriptor).max(2000) });
const list = z.object({ ...common, manifests: z.array(descriptor).max(2000) });

/** As much of a pushed manifest as the registry must know. */
export type ManifestDocument = Pick<
  NewManifest,
  'mediaType' | 'blobs' | 'manifests' | 'subject' | 'artifactType' | 'annotations'
> & {
  /** The blob with the configuration of an image, if it is one that runs. */
  config?: Part;
};

export function readDocument(content: Buffer, contentType: string | undefined): ManifestDocument {
  const mediaType = contentType?.split(';')[0]?.trim() ?? '';
  const isImage = images.includes(mediaType);
  if (!isImage && !lists.includes(mediaType)) {
    throw invalid(
      `Manifests of the type ${JSON.stringify(mediaType)} are not kept; these are: ${[...images, ...lists].join(', ')}.`,
    );
  }
  const json = parse(content);
  if ('manifests' in json && ('layers' in json || 'config' in json)) {
    throw invalid('The manifest is an image and a list of images at once.');
  }
  const read = isImage ? checked(image, json) : checked(list, json);
  if (read.mediaType !== undefined && read.mediaType !== mediaType) {
    throw invalid(`The manifest says that it is ${read.mediaType}, and Content-Type that it is ${mediaType}.`);
  }
  const { subject, annotations } = read;
  if (subject !== undefined && JSON.stringify(annotations ?? {}).length > mostAnnotations) {
    throw invalid(`The annotations of a manifest with a subject may have at most ${mostAnnotations} bytes.`);
  }
  const about = subject === undefined ? {} : { subject: subject.digest, annotations: annotations ?? {} };
  if ('manifests' in read) {
    const manifests = read.manifests.map(part);
    return { mediaType, blobs: [], manifests, artifactType: read.artifactType ?? '', ...about };
  }
  const { config, layers } = read;
  const kept = [config, ...layers.filter(({ urls = [] }) => urls.length === 0)];
  const artifactType = read.artifactType || config.mediaType;
  const runs = /^application\/vnd\.(?:oci\.image\.config|docker\.container\.image)\.v1\+json$/.test(config.mediaType);
  return {
    mediaType,
    blobs: kept.map(part),
    manifests: [],
    artifactType,
    ...about,
    ...(runs ? { config: part(config) } : {}),
  };
}

function part({ digest, size }: Part): Part {
  return { digest, size };
}

function parse(content: Buffer): object {
  try {
    const json: unknown = cleanText(JSON.parse(content.toString('utf8')));
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  } catch {
    // Said below.
  }
  throw invalid('The manifest is not a JSON object.');
}

function checked<T>(schema: z.ZodType<T>, json: object): T {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalid(`The manifest is invalid at ${issue?.path.join('.') || 'its root'}: ${issue?.message}.`);
}

function invalid(message: string): RegistryError {
  return new RegistryError('MANIFEST_INVALID', message);
}
