import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { Refusal } from '../../program/refusal.ts';
import type { ReadyImage } from '../image.ts';

const largestLayer = 16 * 1024 ** 3;

/**
 * The image as `docker load` takes it from any engine. Layers go in as they are; only zstd is taken off, which older
 * engines do not know.
 */
export async function imageArchive(
  image: ReadyImage,
  name: string,
  drafts: string,
  signal: AbortSignal,
): Promise<{ stream: Readable; close(): Promise<void> }> {
  const directory = mkdtempSync(join(drafts, 'load-'));
  const archive = pack();
  // The stream itself reports the error to its reader.
  archive.on('error', () => undefined);
  const end = () => archive.destroy(new Error('Loading the image was aborted.'));
  signal.addEventListener('abort', end, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', end);
    archive.destroy();
    await packed;
    rmSync(directory, { recursive: true, force: true });
  };
  const packed = fill(archive, image, name, directory, signal).catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return { stream: Readable.from(archive, { objectMode: false }), close };
}

async function fill(archive: Pack, image: ReadyImage, name: string, directory: string, signal: AbortSignal) {
  const config = readFileSync(image.configPath);
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
  archive.entry({ name: configName }, config);
  const names: string[] = [];
  for (const [index, layer] of image.layers.entries()) {
    const path = layer.mediaType.endsWith('+zstd') ? await unpacked(layer.path, directory, signal) : layer.path;
    const layerName = `layer-${index}.tar`;
    names.push(layerName);
    await pipeline(createReadStream(path), archive.entry({ name: layerName, size: statSync(path).size }), { signal });
    if (path !== layer.path) rmSync(path);
  }
  const manifest = [{ Config: configName, RepoTags: [name], Layers: names }];
  archive.entry({ name: 'manifest.json' }, JSON.stringify(manifest));
  archive.finalize();
}

async function unpacked(path: string, directory: string, signal: AbortSignal): Promise<string> {
  const to = join(directory, 'layer');
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > largestLayer) done(new Refusal('A layer of the image is larger than 16 GiB when it is unpacked.'));
      else done(null, chunk);
    },
  });
  await pipeline(createReadStream(path), createZstdDecompress(), bounded, createWriteStream(to, { mode: 0o600 }), {
    signal,
  });
  return to;
}
