import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Refusal } from '../../program/refusal.ts';
import { type Descriptor, largestManifest, readManifest } from '../manifest.ts';
import type { Source } from '../source.ts';

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

  async *blob({ digest }: Descriptor, signal: AbortSignal): AsyncGenerator<Buffer> {
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
