import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../program/refusal.ts';

/** Files named after their digest. A file under such a name is whole and verified; any other is a draft. */
export class Blobs {
  readonly #blobs: string;
  readonly #drafts: string;

  constructor(directory: string) {
    this.#blobs = join(directory, 'blobs');
    this.#drafts = join(directory, 'drafts');
    mkdirSync(this.#blobs, { recursive: true, mode: 0o700 });
    // Left by an agent that was killed.
    rmSync(this.#drafts, { recursive: true, force: true });
    mkdirSync(this.#drafts, { mode: 0o700 });
  }

  path(digest: string): string {
    return join(this.#blobs, digest.replace('sha256:', ''));
  }

  size(digest: string): number | undefined {
    return statSync(this.path(digest), { throwIfNoEntry: false })?.size;
  }

  touch(digest: string): void {
    const now = new Date();
    utimesSync(this.path(digest), now, now);
  }

  /** Every blob with its size and the time of its last use. */
  all(): { digest: string; size: number; usedAt: number }[] {
    return readdirSync(this.#blobs).map((name) => {
      const { size, mtimeMs } = statSync(join(this.#blobs, name));
      return { digest: `sha256:${name}`, size, usedAt: mtimeMs };
    });
  }

  remove(digest: string): void {
    rmSync(this.path(digest), { force: true });
  }

  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#blobs);
    return bavail * bsize;
  }

  /** Stores the content only if it matches its size and digest. */
  async add(what: { digest: string; size: number }, from: string, content: AsyncIterable<Buffer>): Promise<void> {
    const draft = join(this.#drafts, `${what.digest.replace('sha256:', '')}.${randomBytes(6).toString('hex')}`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await writeVerified(file, what, from, content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.path(what.digest));
      const directory = await open(this.#blobs, 'r');
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      await rm(draft, { force: true });
      throw isNoRoom(error) ? new Error('The disk has no space left for images; free some.') : error;
    }
  }
}

async function writeVerified(
  file: FileHandle,
  { digest, size }: { digest: string; size: number },
  from: string,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const hash = createHash('sha256');
  let written = 0;
  for await (const chunk of content) {
    written += chunk.length;
    if (written > size) throw new Refusal(`${from} sends more for ${digest} than the ${size} bytes that it announced.`);
    hash.update(chunk);
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
  }
  if (written < size)
    throw new Refusal(`${from} has only ${written} of the ${size} bytes that it announced for ${digest}.`);
  if (`sha256:${hash.digest('hex')}` !== digest) {
    throw new Refusal(`${from} has other content for ${digest} than the digest says.`);
  }
}

function isNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
