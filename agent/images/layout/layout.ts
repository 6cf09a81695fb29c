import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { hostBound } from '../../drivers/image.ts';
import { Refusal } from '../../program/refusal.ts';
import { largestManifest, type Descriptor as ManifestDescriptor, platform, readManifest } from '../manifest.ts';
import type { Source } from '../source.ts';
import type { Blob, LayoutWriter } from './layers.ts';

/** An image layout in a directory of this machine. Nothing in it leads out of it: no link is followed. */
export class Layout implements Source {
  readonly name: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.name = `The layout ${directory}`;
    this.#directory = directory;
    if (!isAbsolute(directory)) throw new Refusal(`${this.name} must be named by an absolute path.`);
  }

  async root(_signal: AbortSignal): Promise<Buffer> {
    return await this.#small('index.json', 'has no index.json, so it is not an image layout');
  }

  async manifest(digest: string, _signal: AbortSignal): Promise<Buffer> {
    return await this.#small(this.#blobPath(digest), `has no image ${digest}${await this.#whatItHas()}`);
  }

  async *blob({ digest }: ManifestDescriptor, signal: AbortSignal): AsyncGenerator<Buffer> {
    const file = await this.#open(this.#blobPath(digest), `has no blob ${digest}, which its image needs`);
    // The stream closes the file.
    yield* file.createReadStream({ signal, highWaterMark: 1024 * 1024 });
  }

  close(): void {}

  async #whatItHas(): Promise<string> {
    const read = readManifest(await this.root(AbortSignal.any([])), this.name);
    return 'manifests' in read ? `; it has ${read.manifests.map((one) => one.digest).join(', ') || 'none'}` : '';
  }

  async #small(path: string, missing: string): Promise<Buffer> {
    const file = await this.#open(path, missing);
    try {
      const { size } = await file.stat();
      if (size > largestManifest) throw new Refusal(`${this.name} has a ${path} of ${size} bytes, which is too large.`);
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await file.read(bytes, 0, size, 0);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  #blobPath(digest: string): string {
    return join('blobs', digest.replace(':', '/'));
  }

  async #open(path: string, missing: string): Promise<FileHandle> {
    try {
      await this.#refuseLinks(path);
      // Non-blocking: a pipe in this place must not hold up the agent.
      const file = await open(
        join(this.#directory, path),
        constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
      );
      if ((await file.stat()).isFile()) return file;
      await file.close();
    } catch (error) {
      if (error instanceof Refusal || !(error instanceof Error) || !('code' in error)) throw error;
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new Refusal(`${this.name} ${missing}.`);
      throw new Error(`${this.name} cannot be read: ${error.code}.`);
    }
    throw new Refusal(`${this.name} has a ${path} that is not a file.`);
  }

  async #refuseLinks(path: string): Promise<void> {
    const parts = path.split('/');
    for (const [depth] of parts.entries()) {
      const part = join(this.#directory, ...parts.slice(0, depth + 1));
      if ((await lstat(part)).isSymbolicLink()) {
        throw new Refusal(`${this.name} has a link in the place of ${parts.slice(0, depth + 1).join('/')}.`);
      }
    }
  }
}

const descriptor = z.object({
  mediaType: z.string().default('application/vnd.oci.image.manifest.v1+json'),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  size: z.int().min(0),
  urls: z.array(z.string()).default([]),
});
export type Descriptor = z.infer<typeof descriptor>;

const index = z.object({ manifests: z.array(descriptor) });
const manifest = z.object({
  mediaType: z.string().optional(),
  config: descriptor.optional(),
  layers: z.array(descriptor).default([]),
  manifests: z.array(descriptor).default([]),
});

export async function indexOf(layout: string): Promise<{ manifests: Descriptor[] }> {
  return read(index, await readFileOf(join(layout, 'index.json')), 'index.json');
}

/** Refuses what is no image layout, before anything is made for it. */
export async function checkLayout(layout: string): Promise<void> {
  const { manifests } = await indexOf(layout);
  if (manifests.length === 0) throw new Refusal(`The image layout ${layout} has no image.`);
  for (const { digest } of manifests) await manifestOf(layout, digest);
}

/** A manifest of the layout as it is, and what it names. */
export async function manifestOf(layout: string, digest: string) {
  const bytes = await readFileOf(join(layout, 'blobs', digest.replace(':', '/')));
  const { mediaType, config, layers, manifests } = read(manifest, bytes, digest);
  const blobs = [...(config === undefined ? [] : [config]), ...layers.filter(({ urls }) => urls.length === 0)];
  return { bytes, type: mediaType, blobs, manifests };
}

export async function readFileOf(path: string): Promise<Buffer> {
  return await readFile(path).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new Refusal(`${path} is not there: this is no whole image layout.`);
    throw error;
  });
}

function read<T>(schema: z.ZodType<T>, bytes: Buffer, name: string): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new Refusal(`${name} of the image layout is not what it should be; build the image again.`);
  }
}

export interface HostConfig {
  Entrypoint: string[];
  Env: string[];
  WorkingDir: string;
  ExposedPorts?: Record<string, object>;
}

/**
 * An image in two variants of the same layers: one for the driver process, which has no system of its own, and one for docker.
 * Answers their digests.
 */
export async function writeHostImage(
  writer: LayoutWriter,
  layers: readonly Blob[],
  config: HostConfig,
): Promise<string[]> {
  const written = await writer.json('application/vnd.oci.image.config.v1+json', {
    ...platform,
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  });
  const variants = [];
  for (const annotations of [{ [hostBound]: `${platform.os}/${platform.architecture}` }, {}]) {
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const document = { schemaVersion: 2, mediaType, config: written, layers, annotations };
    variants.push({ ...(await writer.json(mediaType, document)), annotations, platform });
  }
  await writer.index(variants);
  return variants.map(({ digest }) => digest);
}
