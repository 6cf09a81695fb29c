import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../../machine/files.ts';
import type { Image } from '../../protocol/workload.ts';
import type { ReadyImage } from '../drivers/image.ts';
import { Refusal } from '../program/refusal.ts';
import { Blobs } from './blobs.ts';
import { Layout } from './layout/layout.ts';
import {
  choose,
  type Descriptor,
  digestOf,
  largestManifest,
  type Manifest,
  readConfig,
  readManifest,
} from './manifest.ts';
import { Registry } from './registry.ts';
import { type Access, RegistryAccess } from './registry-access.ts';
import { repositoryOf } from './repository.ts';
import { SharedWork } from './shared-work.ts';
import type { Source } from './source.ts';

const atOnce = 3;

export interface ImageStoreOptions {
  limitBytes: number;
  maxImageBytes: number;
  /** Of several variants for one machine, the one for this driver is meant. */
  runBy?: string;
  /** The way to a repository of the control plane's own registry. */
  controlPlane?: (repository: string) => Access;
}

/** The images of this machine: verified, kept as long as an instance uses them, and within a limit of size. */
export class ImageStore {
  readonly #options: ImageStoreOptions;
  readonly #blobs: Blobs;
  /** A file per image with the digests of all that it is made of, and of the lists by way of which it was found. */
  readonly #records: string;
  readonly #images = new SharedWork<ReadyImage>();
  readonly #layers = new SharedWork<void>();
  /** Blobs of images that are being assembled; garbage collection must not remove them. */
  readonly #held = new Map<string, number>();

  /** Clears what an agent that was killed has left half done: no other store may be at work in the directory. */
  constructor(directory: string, options: ImageStoreOptions) {
    this.#options = options;
    this.#records = join(directory, 'records');
    mkdirSync(this.#records, { recursive: true, mode: 0o700 });
    this.#blobs = new Blobs(directory);
  }

  /**
   * The image, whole and verified. Cached blobs are not fetched again: with a digest, a cached image needs no request.
   * Throws a `Refusal` for a lasting failure, and an ordinary error for one that may pass.
   */
  async ready(image: Image, signal: AbortSignal): Promise<ReadyImage> {
    signal.throwIfAborted();
    return await this.#images.share(JSON.stringify(image), signal, (shared) => this.#pull(image, shared));
  }

  /** The digest of the image that is meant, for this machine, without making it ready. */
  async digestOf(image: Image, signal: AbortSignal): Promise<string> {
    const source = this.#source(image);
    const holds = new Set<string>();
    try {
      const found = this.#manifest(source, image.digest, this.#holder(holds), signal).then(({ digest }) => digest);
      return await Promise.race([found, aborted(signal)]);
    } finally {
      source.close();
      this.#letGo(holds);
    }
  }

  /**
   * Deletes blobs that no kept image needs (digests of images, or of indexes that led to them) until the cache is within
   * its limit, or another one; the least recently used go first.
   */
  async collect(kept: ReadonlySet<string>, limitBytes = this.#options.limitBytes): Promise<void> {
    const records = new Map(readdirSync(this.#records).map((name) => [`sha256:${name}`, this.#record(name)]));
    const blobs = this.#blobs.all();
    let used = blobs.reduce((sum, { size }) => sum + size, 0);
    const needed = new Set([...records.values()].filter((parts) => parts.some((part) => kept.has(part))).flat());
    for (const { digest, size } of blobs.sort((one, other) => one.usedAt - other.usedAt)) {
      if (used <= limitBytes) break;
      if (needed.has(digest) || this.#held.has(digest)) continue;
      // An image of which something is missing is no image.
      for (const [image, parts] of records) {
        if (!parts.includes(digest)) continue;
        rmSync(join(this.#records, image.replace('sha256:', '')), { force: true });
        records.delete(image);
      }
      this.#blobs.remove(digest);
      used -= size;
    }
  }

  #source(image: Image): Source {
    if ('layout' in image) return new Layout(image.layout);
    if ('repository' in image) {
      const { repository, tag, insecure, credential } = image;
      return new Registry(repository, new RegistryAccess(repositoryOf(repository, insecure === true), credential), tag);
    }
    const { controlPlane } = this.#options;
    if (controlPlane === undefined) throw new Refusal(`${image.own} is in the registry of a control plane.`);
    return new Registry(image.own, controlPlane(image.own));
  }

  async #pull(image: Image, signal: AbortSignal): Promise<ReadyImage> {
    const source = this.#source(image);
    const holds = new Set<string>();
    try {
      const ready = await this.#putTogether(source, image.digest, this.#holder(holds), signal);
      for (const digest of holds) this.#blobs.touch(digest);
      writeFileAtomically(join(this.#records, ready.digest.replace('sha256:', '')), JSON.stringify([...holds]));
      return ready;
    } finally {
      source.close();
      this.#letGo(holds);
    }
  }

  #holder(holds: Set<string>): (digest: string) => void {
    return (digest) => {
      if (holds.has(digest)) return;
      holds.add(digest);
      this.#held.set(digest, (this.#held.get(digest) ?? 0) + 1);
    };
  }

  #letGo(holds: ReadonlySet<string>): void {
    for (const digest of holds) {
      const left = (this.#held.get(digest) ?? 1) - 1;
      if (left === 0) this.#held.delete(digest);
      else this.#held.set(digest, left);
    }
  }

  async #putTogether(
    source: Source,
    wanted: string | undefined,
    hold: (digest: string) => void,
    signal: AbortSignal,
  ): Promise<ReadyImage> {
    const { digest, manifest } = await this.#manifest(source, wanted, hold, signal);
    const parts = [manifest.config, ...manifest.layers];
    this.#checkSizes(source, manifest);
    for (const part of parts) hold(part.digest);
    await this.#checkRoom(source, parts);
    await this.#fetch(source, manifest.config, signal);
    const configBytes = readFileSync(this.#blobs.path(manifest.config.digest));
    const config = readConfig(configBytes, manifest.layers.length, source.name);
    await this.#fetchAll(source, manifest.layers, signal);
    return {
      digest,
      config,
      configPath: this.#blobs.path(manifest.config.digest),
      layers: manifest.layers.map((layer) => ({
        digest: layer.digest,
        mediaType: layer.mediaType,
        path: this.#blobs.path(layer.digest),
        sizeBytes: layer.size,
      })),
      annotations: manifest.annotations,
    };
  }

  /** From what was asked for, by way of lists of images for several platforms, to the image for this one. */
  async #manifest(
    source: Source,
    wanted: string | undefined,
    hold: (digest: string) => void,
    signal: AbortSignal,
  ): Promise<{ digest: string; manifest: Manifest }> {
    let bytes =
      wanted === undefined ? await source.root(signal) : await this.#description(source, wanted, hold, signal);
    for (let depth = 0; depth < 4; depth += 1) {
      const read = readManifest(bytes, source.name);
      if (!('manifests' in read)) {
        const digest = digestOf(bytes);
        await this.#keepDescription(source, digest, bytes, hold);
        return { digest, manifest: read };
      }
      bytes = await this.#description(
        source,
        choose(read.manifests, source.name, this.#options.runBy).digest,
        hold,
        signal,
      );
    }
    throw new Refusal(`${source.name} has lists of images within lists of images, more than can be followed.`);
  }

  async #description(
    source: Source,
    digest: string,
    hold: (digest: string) => void,
    signal: AbortSignal,
  ): Promise<Buffer> {
    hold(digest);
    const size = this.#blobs.size(digest);
    if (size !== undefined && size <= largestManifest) return readFileSync(this.#blobs.path(digest));
    const bytes = await source.manifest(digest, signal);
    if (digestOf(bytes) !== digest) {
      throw new Refusal(`${source.name} has other content for ${digest} than the digest says.`);
    }
    await this.#keepDescription(source, digest, bytes, hold);
    return bytes;
  }

  async #keepDescription(source: Source, digest: string, bytes: Buffer, hold: (digest: string) => void) {
    hold(digest);
    if (this.#blobs.size(digest) === undefined)
      await this.#blobs.add({ digest, size: bytes.length }, source.name, one(bytes));
  }

  #checkSizes(source: Source, manifest: Manifest): void {
    if (manifest.config.size > largestManifest) {
      throw new Refusal(`${source.name} has a configuration of ${manifest.config.size} bytes, which is too large.`);
    }
    const total = manifest.layers.reduce((sum, layer) => sum + layer.size, 0);
    const { maxImageBytes } = this.#options;
    if (total <= maxImageBytes) return;
    throw new Refusal(
      `${source.name} has an image of ${total} bytes; images of more than ${maxImageBytes} bytes are not taken.`,
    );
  }

  async #checkRoom(source: Source, parts: readonly Descriptor[]): Promise<void> {
    const missing = parts.filter((part) => this.#blobs.size(part.digest) === undefined);
    const total = missing.reduce((sum, part) => sum + part.size, 0);
    if (total > (await this.#blobs.free())) {
      throw new Error(`The disk has no space for the ${total} bytes of ${source.name}; free some.`);
    }
  }

  async #fetchAll(source: Source, layers: readonly Descriptor[], signal: AbortSignal): Promise<void> {
    const failing = new AbortController();
    const either = AbortSignal.any([signal, failing.signal]);
    const rest = [...layers];
    const worker = async () => {
      for (let layer = rest.shift(); layer !== undefined; layer = rest.shift())
        await this.#fetch(source, layer, either);
    };
    const workers = Array.from({ length: atOnce }, () =>
      worker().catch((error: unknown) => {
        failing.abort(error);
        throw error;
      }),
    );
    // All of them end before the first failure is told, so that nobody writes any more.
    await Promise.allSettled(workers);
    await Promise.all(workers);
  }

  async #fetch(source: Source, part: Descriptor, signal: AbortSignal): Promise<void> {
    const size = this.#blobs.size(part.digest);
    if (size === part.size) return;
    if (size !== undefined) throw new Refusal(`${source.name} says a wrong size for ${part.digest}.`);
    // Images share layers: what two of them need is fetched once, from the same place.
    await this.#layers.share(`${source.name} ${part.digest}`, signal, (shared) =>
      this.#blobs.add(part, source.name, source.blob(part, shared)),
    );
  }

  #record(name: string): string[] {
    const parts: unknown = JSON.parse(readFileSync(join(this.#records, name), 'utf8'));
    return Array.isArray(parts) ? parts.map(String) : [];
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
