import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Problem } from '../../../domain/problems.ts';
import { type BlobStore, blobPath, checkDraftName, NotItsEnd, type Settled } from './blob-store.ts';
import { severalAtOnce } from './joins.ts';

/**
 * Writes all that comes into the file, as fast as the disk takes it. Ends when the file is closed, however it ended, so
 * that nothing is written any more. What comes is not read to its end after a failure: the client still gets its answer.
 */
export async function pour(
  body: Readable,
  file: Writable,
  onPiece: (piece: Buffer) => Promise<void> | undefined,
  stop?: AbortSignal,
): Promise<void> {
  let failure: Error | undefined;
  file.on('error', (error: Error) => {
    failure = error;
  });
  const closed = new Promise<void>((resolve) => file.once('close', () => resolve()));
  const interrupt = () => body.destroy(stop?.reason);
  stop?.addEventListener('abort', interrupt, { once: true });
  try {
    stop?.throwIfAborted();
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const checked = onPiece(piece);
      if (checked !== undefined) await checked;
      if (!file.write(piece)) await room(file);
      if (failure !== undefined) break;
    }
  } finally {
    stop?.removeEventListener('abort', interrupt);
    file.end();
    await closed;
  }
  if (failure !== undefined) throw diskFailure(failure);
}

async function room(file: Writable): Promise<void> {
  if (file.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      file.off('drain', go);
      file.off('close', go);
      resolve();
    };
    file.on('drain', go);
    file.on('close', go);
  });
}

/** The failure as clients are told it: a disk that is full is `unavailable`, any other stays as it is. */
function diskFailure(error: unknown): unknown {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  return isFull ? full() : error;
}

function full(): Problem {
  return new Problem('unavailable', 'The disk of the registry is full; ask the operator of this installation.', {
    retryAfterSeconds: 60,
  });
}

const day = 86_400_000;
/** Fewer, larger steps: a push is many of them. */
const chunkBytes = 256 * 1024;
/** Files that are flushed at once share what the disk does for it. */
const filesAtOnce = 16;

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

  async writeDraft(name: string, from: number): Promise<Writable> {
    const file = await open(this.#draft(name), 'r+');
    try {
      const { size } = await file.stat();
      if (size !== from) throw new NotItsEnd(from, size);
      return file.createWriteStream({ start: from, highWaterMark: chunkBytes });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async readDraft(name: string): Promise<Readable> {
    return createReadStream(this.#draft(name), { highWaterMark: chunkBytes });
  }

  async cutDraft(name: string, size: number): Promise<void> {
    await truncate(this.#draft(name), size).catch(absent);
  }

  async deleteDraft(name: string): Promise<void> {
    await rm(this.#draft(name), { force: true });
  }

  async copyDraft(name: string, own: string): Promise<Hash> {
    const hash = createHash('sha256');
    await this.createDraft(own);
    await pour(await this.readDraft(name), await this.writeDraft(own, 0), (piece) => {
      hash.update(piece);
      return undefined;
    });
    return hash;
  }

  /** Another process copies the draft anyway, and digests it on the way. */
  async noteSha256(): Promise<void> {}

  async notedSha256(): Promise<undefined> {
    return undefined;
  }

  async settle(name: string, digest: string): Promise<Settled> {
    // From here on no crash of the machine loses it.
    await flush(this.#draft(name), 'r+');
    const path = this.#blob(digest);
    const keep = async () => {
      const directory = dirname(path);
      const made = await mkdir(directory, { recursive: true, mode: 0o700 });
      await rename(this.#draft(name), path);
      await flush(directory, 'r');
      // A directory that has just been made must be found again, too.
      if (made !== undefined) await flush(dirname(directory), 'r');
      return true;
    };
    return { keep, done: async () => undefined };
  }

  async settleBlobs(blobs: readonly { digest: string; bytes: Buffer }[]): Promise<Settled> {
    const drafts = new Map(blobs.map(({ digest }) => [digest, randomUUID() as string]));
    const done = () => severalAtOnce(filesAtOnce, drafts.values(), (name) => this.deleteDraft(name));
    const directories = new Set(blobs.map(({ digest }) => dirname(this.#blob(digest))));
    try {
      await mkdir(join(this.#directory, 'drafts'), { recursive: true, mode: 0o700 });
      await this.#make(directories);
      await severalAtOnce(filesAtOnce, blobs, async ({ digest, bytes }) => {
        await writeFlushed(this.#draft(drafts.get(digest) ?? ''), bytes);
      });
    } catch (error) {
      await done();
      throw diskFailure(error);
    }
    const keep = async () => {
      await severalAtOnce(filesAtOnce, [...drafts], async ([digest, name]) => {
        await rename(this.#draft(name), this.#blob(digest));
        drafts.delete(digest);
      });
      await severalAtOnce(filesAtOnce, directories, (directory) => flush(directory, 'r'));
      return true;
    };
    return { keep, done };
  }

  async blobSize(digest: string): Promise<number | undefined> {
    return await sizeOf(this.#blob(digest));
  }

  async readBlob(digest: string, range?: { first: number; last: number }): Promise<Readable> {
    const part = range === undefined ? {} : { start: range.first, end: range.last };
    return createReadStream(this.#blob(digest), { ...part, highWaterMark: chunkBytes });
  }

  async deleteBlob(digest: string): Promise<void> {
    await rm(this.#blob(digest), { force: true });
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

  /** A draft that nobody knows any more is all that is left behind here. */
  async sweepRemains(): Promise<void> {}

  async reach(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  async close(): Promise<void> {}

  /** A directory that has just been made must be found again, too. */
  async #make(directories: ReadonlySet<string>): Promise<void> {
    const parents = new Set<string>();
    for (const directory of directories) {
      const made = await mkdir(directory, { recursive: true, mode: 0o700 });
      if (made !== undefined) parents.add(dirname(directory));
    }
    for (const parent of parents) await flush(parent, 'r');
  }

  #draft(name: string): string {
    checkDraftName(name);
    return join(this.#directory, 'drafts', name);
  }

  #blob(digest: string): string {
    return join(this.#directory, blobPath(digest));
  }
}

async function writeFlushed(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
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
