import { type FileHandle, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Blob, LayoutWriter } from '../../../images/layout/layers.ts';
import type { ExportedImage } from './exported-image.ts';
import { archiveEnd, type Entry, headerOf, padding, plain, readTar } from './tar.ts';

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

function ordered(entries: readonly Entry[]): Entry[] {
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

/** Writes the image so that the same files, commands and settings have the same digest, whenever and by whichever cache they were made. */
export async function rewriteImage(
  { layers, config }: ExportedImage,
  layout: string,
  signal: AbortSignal,
): Promise<{ bytes: number }> {
  const writer = await LayoutWriter.in(layout);
  const known = new Map<string, Blob>();
  for (const path of new Set(layers)) {
    known.set(path, await writer.layer(Readable.from(rewrittenLayer(path), { objectMode: false }), signal));
    await rm(path);
  }
  const blobs = layers.flatMap((path) => known.get(path) ?? []);
  const { architecture, os, variant, history } = config;
  const written = await writer.json('application/vnd.oci.image.config.v1+json', {
    ...{ architecture, os },
    ...(variant !== undefined && { variant }),
    config: settingsOf(config.config ?? {}),
    rootfs: { type: 'layers', diff_ids: blobs.map(({ digest }) => digest) },
    history: (history ?? []).map(({ created: _, ...rest }) => inOrder(rest)),
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = await writer.json(mediaType, { schemaVersion: 2, mediaType, config: written, layers: blobs });
  await writer.index([{ ...manifest, platform: { os, architecture } }]);
  return { bytes: blobs.reduce((sum, { size }) => sum + size, 0) };
}

/** Without the id of the image that it was made from, which holds times. */
function settingsOf({ Image: _, Labels: labels, ...rest }: Record<string, unknown>): object {
  const named = Object.keys(labels ?? {}).length > 0;
  return inOrder({ ...rest, ...(named && { Labels: inOrder(labels as Record<string, unknown>) }) });
}

function inOrder(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
