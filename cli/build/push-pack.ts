import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { RepositoryClient } from '../../agent/images/push/repository-client.ts';
import { packLine } from '../../domain/builds/pack.ts';
import { Changed, type MissingFile, type OnSent } from './missing-file.ts';
import type { Pack } from './packs.ts';

const filesAtOnce = 8;
const pieceFiles = 32;

/** Sends a pack, whose files are told as sent once all of them have arrived; before, how many bytes of each are on their way. */
export async function pushPack(
  client: RepositoryClient,
  sourceId: string,
  folder: string,
  { files, size }: Pack,
  onSent: OnSent,
): Promise<void> {
  // As a whole before it is sent: a file that has changed is no failure of the connection, after which all would be sent again.
  const contents: Buffer[] = [];
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const some = files.slice(at, at + filesAtOnce);
    contents.push(...(await Promise.all(some.map((file) => contentOf(folder, file)))));
  }
  function* body() {
    onSent(files, () => 0);
    for (let at = 0; at < files.length; at += pieceFiles) {
      const some = files.slice(at, at + pieceFiles);
      yield Buffer.concat(some.flatMap((file, index) => [lineOf(file), contents[at + index] ?? Buffer.alloc(0)]));
      onSent(some, (file) => Math.max(0, file.size - 1));
    }
  }
  await client.putPack(sourceId, () => Readable.from(body(), { objectMode: false }), size);
  onSent(files, (file) => file.size);
}

function lineOf({ digest, size }: MissingFile): Buffer {
  return Buffer.from(packLine(digest, size));
}

/** The content as it was hashed. A file that became something else meanwhile is neither followed nor waited for. */
async function contentOf(folder: string, { path, target, size, digest }: MissingFile): Promise<Buffer> {
  const bytes = target === undefined ? await readFile(join(folder, path), size) : Buffer.from(target);
  if (bytes === undefined || `sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest) {
    throw new Changed(path);
  }
  return bytes;
}

async function readFile(place: string, size: number): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    // A byte more than there should be: one that has grown is another file.
    const bytes = Buffer.alloc(size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) return bytes.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}
