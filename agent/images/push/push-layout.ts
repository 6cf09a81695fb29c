import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '../../link/client.ts';
import { isAway, isAwayStatus } from '../../link/link-failure.ts';
import { Refusal } from '../../program/refusal.ts';
import { type Descriptor, indexOf, manifestOf, readFileOf } from '../layout/layout.ts';
import { RegistryRefusal, type RegistryWay } from './registry-way.ts';
import type { BlobProgress, RepositoryClient } from './repository-client.ts';

export interface PushedImage {
  digest: string;
  mediaType: string;
}

interface Pushing {
  /** Told of each blob as it goes: `reused` if the registry had it already. */
  onBlob?: (progress: BlobProgress) => void;
}

const index = 'application/vnd.oci.image.index.v1+json';
const blobsAtOnce = 3;

/** Pushes an image layout; one of several images as the list that it is. Without a tag it is known by its digest alone. */
export async function pushLayout(
  layout: string,
  client: RepositoryClient,
  tag: string | undefined,
  onBlob?: (progress: BlobProgress) => void,
): Promise<PushedImage> {
  const pushing = onBlob === undefined ? {} : { onBlob };
  const { manifests } = await indexOf(layout);
  const [only, ...others] = manifests;
  if (only === undefined) throw new Refusal(`The image layout ${layout} has no image.`);
  if (others.length === 0) return await pushManifest(layout, client, only, tag, pushing);
  for (const one of manifests) await pushManifest(layout, client, one, undefined, pushing);
  return await client.putManifest(await readFileOf(join(layout, 'index.json')), index, tag);
}

/** Blobs go before the manifest: the registry takes none that names what is not there. */
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

/** By the link of the agent, with its credential. A build that is done is not lost since the control plane is away: its time limit ends it. */
export function agentWay(client: Pick<Client, 'registry' | 'address'>, signal: AbortSignal): RegistryWay {
  return {
    host: client.address,
    isAway: (error) => (error instanceof RegistryRefusal ? isAwayStatus(error.status) : isAway(error)),
    async ask(method, path, sent) {
      const answer = await client.registry(method, path.replace(/^\/v2\//, ''), sent, signal);
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
    },
  };
}
