import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { type Entry, plain, readTar } from './read-tar.ts';
import { archiveEnd, headerOf, padding } from './write-tar.ts';

const chunkBytes = 1024 * 1024;

/**
 * A layer as it is whenever it was made: entries by their names, owners as they are (programs run as users of the image), time 0, and of
 * several names of one file the first has its content.
 */
export async function* rewrittenLayer(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for (const entry of ordered(await readTar(file))) {
      yield headerOf(entry);
      yield* contentOf(file, entry);
      if (entry.size > 0) yield padding(entry.size);
    }
    yield archiveEnd;
  } finally {
    await file.close();
  }
}

export function ordered(entries: readonly Entry[]): Entry[] {
  const files = new Map(entries.flatMap((entry) => (entry.type === 'file' ? [[entry.path, entry] as const] : [])));
  const names = new Map<Entry, string[]>();
  for (const entry of entries) {
    if (entry.type !== 'link') continue;
    const file = files.get(plain(entry.target));
    if (file === undefined) continue;
    names.set(file, [...(names.get(file) ?? [file.path]), entry.path]);
  }
  const first = new Map([...names].flatMap(([file, of]) => of.map((path) => [path, { file, path: of.toSorted()[0] }])));
  const settled = entries.map((entry) => {
    const shared = first.get(entry.path);
    if (shared?.path === undefined || (entry.type !== 'file' && entry.type !== 'link')) return entry;
    if (entry.path === shared.path) return { ...shared.file, path: entry.path };
    return { ...shared.file, path: entry.path, type: 'link' as const, target: shared.path, size: 0, attributes: [] };
  });
  // Characters are bytes here: this is their order.
  return settled.toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

async function* contentOf(file: FileHandle, { offset, size }: Entry): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, offset + at);
    if (bytesRead === 0) throw new Error('A layer of the built image is cut off.');
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
