import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { Refusal } from '../../../program/refusal.ts';

/** An image as BuildKit or an engine gave it: its layers as archives on this disk, from the lowest. */
export interface ExportedImage {
  layers: string[];
  config: ExportedConfig;
}

const exportedConfig = z.object({
  architecture: z.string(),
  os: z.string(),
  variant: z.string().optional(),
  config: z.record(z.string(), z.unknown()).nullish(),
  history: z.array(z.record(z.string(), z.unknown())).nullish(),
});
export type ExportedConfig = z.infer<typeof exportedConfig>;
const manifest = z.array(z.object({ Config: z.string(), Layers: z.array(z.string()).nullish() })).length(1);

const largestDocument = 8 * 1024 * 1024;

/** Reads what `docker save` writes: names of its own with `layer.tar` in them, or those of an image layout. */
export async function exportedImage(
  archive: Readable,
  directory: string,
  limitBytes: number,
  signal: AbortSignal,
): Promise<ExportedImage> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const documents = new Map<string, Buffer>();
  const layers = new Map<string, string>();
  /** A layer that is in an image twice is there once, with links to it. */
  const links = new Map<string, string>();
  const left = { bytes: limitBytes };
  const reader = extract();
  const work = (async () => {
    for await (const entry of reader) {
      const { name, type, linkname, size = 0 } = entry.header;
      const first: Buffer[] = [];
      if (type === 'symlink' || type === 'link') {
        const target = linkname ?? '';
        links.set(name, type === 'link' ? target : posix.join(posix.dirname(name), target));
      } else if (type === 'file' && isDocument(name, size)) {
        for await (const chunk of entry as AsyncIterable<Buffer>) first.push(chunk);
        const bytes = Buffer.concat(first);
        const isLayer = bytes.toString('latin1', 257, 262) === 'ustar';
        if (!isLayer && (bytes[0] === 0x7b || bytes[0] === 0x5b)) documents.set(name, bytes);
        else layers.set(name, await keep(once(bytes), join(directory, `layer-${layers.size}`), left, signal));
      } else if (type === 'file') {
        layers.set(
          name,
          await keep(entry as AsyncIterable<Buffer>, join(directory, `layer-${layers.size}`), left, signal),
        );
      }
      entry.resume();
    }
  })();
  await Promise.all([pipeline(archive, reader as unknown as Writable, { signal }), work]);
  const [image] = read(manifest, documents, 'manifest.json');
  const config = read(exportedConfig, documents, image?.Config ?? '');
  const placed = (image?.Layers ?? []).map((name) => {
    const path = layers.get(name) ?? layers.get(links.get(name) ?? '');
    if (path === undefined) throw new Error(`An image was exported without its layer ${name}.`);
    return path;
  });
  return { layers: placed, config };
}

/** Small ones may be either: the first byte of a document says that it is one. */
function isDocument(name: string, size: number): boolean {
  return size <= largestDocument && !name.endsWith('layer.tar');
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Keeps a layer, unpacked. */
async function keep(
  content: AsyncIterable<Buffer>,
  path: string,
  left: { bytes: number },
  signal: AbortSignal,
): Promise<string> {
  const chunks = content[Symbol.asyncIterator]();
  const { value: head } = (await chunks.next()) as { value: Buffer | undefined };
  const whole = async function* () {
    if (head !== undefined) yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  const draft = `${path}.draft`;
  const unpacked = decoders(head).reduce((from: Readable, decoder) => from.compose(decoder), Readable.from(whole()));
  await pipeline(unpacked, bounded(left), createWriteStream(draft, { mode: 0o600 }), { signal });
  await rename(draft, path);
  return path;
}

function decoders(head: Buffer | undefined) {
  const magic = head?.subarray(0, 4).toString('hex') ?? '';
  if (magic.startsWith('1f8b')) return [createGunzip()];
  return magic === '28b52ffd' ? [createZstdDecompress()] : [];
}

function bounded(left: { bytes: number }) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      left.bytes -= chunk.length;
      if (left.bytes < 0) throw new Refusal('The image is larger than a build may write.');
      yield chunk;
    }
  };
}

function read<T>(schema: z.ZodType<T>, documents: ReadonlyMap<string, Buffer>, name: string): T {
  const bytes = documents.get(name);
  if (bytes === undefined) throw new Error(`An image was exported without ${name || 'its configuration'}.`);
  return schema.parse(JSON.parse(bytes.toString('utf8')));
}
