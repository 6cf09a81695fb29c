import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { BlobStore } from './blob-store.ts';

const day = 86_400_000;
/** Fewer, larger steps: a push is many of them. */
const chunkBytes = 256 * 1024;

/**
 * Blobs as files of one directory: `blobs/<algorithm>/<two digits>/<digits>`, and `drafts/<name>` until they are whole.
 * Names of files come from digests and random names alone, never from a path that somebody sent.
 */
export class DiskStore implements BlobStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async createDraft(name: string): Promise<void> {
    await mkdir(join(this.#directory, 'drafts'), { recursive: true, mode: 0o700 });
    const file = await open(this.#draft(name), 'wx', 0o600);
    await file.close();
  }

  async draftSize(name: string): Promise<number | undefined> {
    return await sizeOf(this.#draft(name));
  }

  writeDraft(name: string, from: number): Writable {
    return createWriteStream(this.#draft(name), { flags: 'r+', start: from, highWaterMark: chunkBytes });
  }

  readDraft(name: string): Readable {
    return createReadStream(this.#draft(name), { highWaterMark: chunkBytes });
  }

  async cutDraft(name: string, size: number): Promise<void> {
    await truncate(this.#draft(name), size).catch(absent);
  }

  async deleteDraft(name: string): Promise<void> {
    await rm(this.#draft(name), { force: true });
  }

  async flushDraft(name: string): Promise<void> {
    await flush(this.#draft(name), 'r+');
  }

  async keep(name: string, digest: string): Promise<void> {
    const { directory, path } = this.#blob(digest);
    const made = await mkdir(directory, { recursive: true, mode: 0o700 });
    await rename(this.#draft(name), path);
    await flush(directory, 'r');
    // A directory that has just been made must be found again, too.
    if (made !== undefined) await flush(join(directory, '..'), 'r');
  }

  async blobSize(digest: string): Promise<number | undefined> {
    return await sizeOf(this.#blob(digest).path);
  }

  readBlob(digest: string, range?: { first: number; last: number }): Readable {
    const part = range === undefined ? {} : { start: range.first, end: range.last };
    return createReadStream(this.#blob(digest).path, { ...part, highWaterMark: chunkBytes });
  }

  async deleteBlob(digest: string): Promise<void> {
    await rm(this.#blob(digest).path, { force: true });
  }

  async oldDrafts(): Promise<string[]> {
    return await unchanged(join(this.#directory, 'drafts'));
  }

  async *oldBlobs(): AsyncGenerator<string[]> {
    for (const algorithm of await entries(join(this.#directory, 'blobs'))) {
      const folder = join(this.#directory, 'blobs', algorithm);
      for (const prefix of await entries(folder)) {
        const digits = await unchanged(join(folder, prefix));
        yield digits.map((name) => `${algorithm}:${name}`);
      }
    }
  }

  #draft(name: string): string {
    if (!/^[0-9a-f-]{36}$/.test(name)) throw new Error(`${name} is no name of a draft.`);
    return join(this.#directory, 'drafts', name);
  }

  #blob(digest: string): { directory: string; path: string } {
    const [, algorithm, digits] = /^(sha256|sha512):([0-9a-f]{64,128})$/.exec(digest) ?? [];
    if (algorithm === undefined || digits === undefined) throw new Error(`${digest} is no digest.`);
    const directory = join(this.#directory, 'blobs', algorithm, digits.slice(0, 2));
    return { directory, path: join(directory, digits) };
  }
}

async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(({ size }) => size, absent);
}

async function entries(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(absent)) ?? [];
}

/** By the time of the last change of the file or of its name: a draft becomes a blob by getting another name. */
async function unchanged(directory: string): Promise<string[]> {
  const old: string[] = [];
  for (const name of await entries(directory)) {
    const found = await stat(join(directory, name)).catch(absent);
    if (found !== undefined && Date.now() - found.ctimeMs > day) old.push(name);
  }
  return old;
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
