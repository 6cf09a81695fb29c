import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../engine/command.ts';
import { type Descriptor, indexOf, manifestOf, readFileOf } from './layout-files.ts';
import { type BlobProgress, RepositoryClient, type RepositoryPlace } from './repository-client.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface PushTarget extends RepositoryPlace {
  /** Absent: it is known by its digest alone. */
  tag?: string | undefined;
}

export interface PushedImage {
  digest: string;
  mediaType: string;
}

export interface Pushing {
  /** Told of each blob as it goes: `reused` if the registry had it already. */
  onBlob?: (progress: BlobProgress) => void;
  signal?: AbortSignal | undefined;
}

const index = 'application/vnd.oci.image.index.v1+json';
const blobsAtOnce = 3;

/**
 * Pushes an image into a repository: of an image layout, as `ballast image build` writes it, or of an archive, as `docker save` does.
 * A layout of several images is pushed as the list that it is. Blobs that are there are passed over, and one whose
 * connection breaks goes on where it stood, so pushing again costs what is missing.
 */
export async function pushLayout(source: string, target: PushTarget, pushing: Pushing = {}): Promise<PushedImage> {
  const found = await stat(source).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${source} is not there; name an image layout or an archive of one.`);
  if (found.isDirectory()) return await pushDirectory(source, target, pushing);
  const directory = await unpackArchive(source, pushing.signal);
  try {
    return await pushDirectory(directory, target, pushing);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function pushDirectory(layout: string, target: PushTarget, pushing: Pushing): Promise<PushedImage> {
  const client = new RepositoryClient(target, pushing.signal);
  const { manifests } = await indexOf(layout);
  const [only, ...others] = manifests;
  if (only === undefined) throw new UsageError(`The image layout ${layout} has no image.`);
  if (others.length === 0) return await pushManifest(layout, client, only, target.tag, pushing);
  for (const one of manifests) await pushManifest(layout, client, one, undefined, pushing);
  return await client.putManifest(await readFileOf(join(layout, 'index.json')), index, target.tag);
}

/** What a manifest names goes first: the registry takes none that names what is not there. */
async function pushManifest(
  layout: string,
  client: RepositoryClient,
  { digest, mediaType }: Descriptor,
  tag: string | undefined,
  pushing: Pushing,
): Promise<PushedImage> {
  const { bytes, blobs, manifests, type } = await manifestOf(layout, digest);
  const whole = manifests.filter((one) => existsSync(blobPath(layout, one)));
  if (whole.length < manifests.length && whole.length > 0)
    return await pushPart(layout, client, bytes, whole, tag, pushing);
  for (const one of manifests) await pushManifest(layout, client, one, undefined, pushing);
  const left = [...new Map(blobs.map((blob) => [blob.digest, blob])).values()];
  const worker = async () => {
    for (let blob = left.shift(); blob !== undefined; blob = left.shift()) {
      await client.pushBlob(blobPath(layout, blob), blob, pushing.onBlob);
    }
  };
  await Promise.all(Array.from({ length: blobsAtOnce }, worker));
  return await client.putManifest(bytes, type ?? mediaType, tag);
}

/** Docker saves a list of images for several platforms as it is, and of these images only those that it has. */
async function pushPart(
  layout: string,
  client: RepositoryClient,
  list: Buffer,
  whole: readonly Descriptor[],
  tag: string | undefined,
  pushing: Pushing,
): Promise<PushedImage> {
  const { manifests, ...rest }: { manifests: { digest: string }[] } = JSON.parse(list.toString('utf8'));
  for (const one of whole) await pushManifest(layout, client, one, undefined, pushing);
  const left = manifests.filter(({ digest }) => whole.some((one) => one.digest === digest));
  return await client.putManifest(Buffer.from(JSON.stringify({ ...rest, manifests: left })), index, tag);
}

function blobPath(layout: string, { digest }: { digest: string }): string {
  return join(layout, 'blobs', digest.replace(':', '/'));
}
