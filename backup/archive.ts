import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline as piped, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { extract, type Pack, pack } from 'tar-stream';
import { errorCode, Refusal } from '../runtime/supervisor/refusal.ts';

/** A compressed archive that `fill` writes: its failure is the stream's. */
export function archived(fill: (archive: Pack) => Promise<void>): Readable {
  const archive = pack();
  const compressed = piped(Readable.from(archive, { objectMode: false }), createZstdCompress(), () => {});
  void fill(archive).then(
    () => archive.finalize(),
    (error: Error) => {
      archive.destroy();
      compressed.destroy(error);
    },
  );
  return compressed;
}

export async function addBytes(archive: Pack, name: string, bytes: string | Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    archive.entry({ name, mode: 0o600 }, bytes, (error) => (error ? reject(error) : resolve()));
  });
}

export async function addDirectory(archive: Pack, name: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    archive.entry({ name, type: 'directory', mode: 0o700 }, (error) => (error ? reject(error) : resolve()));
  });
}

/** One that is written to meanwhile has the length that it had at first. One that is gone is left out. */
export async function addFile(archive: Pack, name: string, path: string): Promise<void> {
  let size: number;
  try {
    ({ size } = statSync(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  await pipeline(exactly(path, size), archive.entry({ name, size, mode: 0o600 }));
}

async function* exactly(path: string, size: number): AsyncGenerator<Buffer> {
  let left = size;
  if (size > 0) {
    const file = createReadStream(path, { end: size - 1, highWaterMark: 256 * 1024 });
    try {
      for await (const piece of file) {
        left -= piece.length;
        yield piece;
      }
    } catch (error) {
      // Deleted since its size was read: nobody needs what was in it.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  for (; left > 0; left -= Math.min(left, 65_536)) yield Buffer.alloc(Math.min(left, 65_536));
}

interface Unpacking {
  /** Undefined: everything is this user's. */
  owner?: { uid: number; gid: number } | undefined;
  /** Where an entry goes, relative to the directory; undefined leaves it out. */
  at?: (name: string) => string | undefined;
}

/** Unpacks files and directories, and nothing else, beneath a directory. What is there already is not overwritten. */
export async function unpackArchive(
  source: Readable,
  directory: string,
  { owner, at = (name) => name }: Unpacking,
): Promise<void> {
  const entries = extract();
  const own = async (path: string): Promise<void> => {
    if (owner) await chown(path, owner.uid, owner.gid);
  };
  const reading = pipeline(source, createZstdDecompress(), entries);
  // Met below, when the entries end with the same failure.
  reading.catch(() => {});
  for await (const entry of entries) {
    const { name, type } = entry.header;
    const to = at(name.replace(/\/$/, ''));
    if (to !== undefined) {
      if (to.startsWith('/') || to.split('/').includes('..') || (type !== 'file' && type !== 'directory'))
        throw new Refusal(`The backup holds ${JSON.stringify(name)} (${type}), which no backup of ours has.`);
      const path = join(directory, to);
      await mkdir(type === 'directory' ? path : dirname(path), { recursive: true, mode: 0o700 });
      if (type === 'directory') await own(path);
      else {
        await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
        await own(path);
      }
      await chmod(path, type === 'directory' ? 0o700 : 0o600);
    }
    entry.resume();
  }
  await reading;
}
