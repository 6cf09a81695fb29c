import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { type Blob, LayoutWriter } from '../../agent/images/layout/layers.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

interface Archive {
  file: string;
  remove(): Promise<void>;
}

/** An archive of a tag of the Docker engine here, as `docker save` writes it. */
export async function dockerArchive(tag: string, signal?: AbortSignal): Promise<Archive> {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-docker-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  const file = join(directory, 'image.tar');
  try {
    const { code, said } = await docker(['image', 'save', '--output', file, '--', tag], signal);
    signal?.throwIfAborted();
    if (code === 0) return { file, remove };
    throw new UsageError(refusal(tag, code, said));
  } catch (error) {
    await remove();
    throw error;
  }
}

function refusal(tag: string, code: number | undefined, said: string): string {
  const name = printable(tag);
  if (code === undefined) {
    return `"${name}" is no path and names no registry, and there is no docker in the PATH to ask for a tag; see --help for what can be deployed.`;
  }
  const why = printable(said.trim().split('\n').at(-1) ?? '').replace(/[.?]$/, '');
  return `Docker has not saved "${name}": ${why}. \`docker images\` lists the tags; an image of a registry is named with its host, as in docker.io/library/nginx:1.27.`;
}

/** The exit code is undefined if there is no such program. */
function docker(words: string[], signal?: AbortSignal): Promise<{ code: number | undefined; said: string }> {
  const child = spawn('docker', words, { stdio: ['ignore', 'ignore', 'pipe'], ...(signal && { signal }) });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: undefined, said }));
    child.once('close', (code) => resolve({ code: code ?? 1, said }));
  });
}

const saved = z.array(z.object({ Config: z.string(), Layers: z.array(z.string()) })).min(1);
/** Names of an image layout, and of the older archives of `docker save`. Anything else is left out, and no name leads elsewhere. */
const known =
  /^(?:index\.json|oci-layout|manifest\.json|blobs\/sha256\/[0-9a-f]{64}|[0-9a-f]{64}\.json|[0-9a-f]{64}\/layer\.tar|[0-9a-f]{64}\.tar)$/;

/** The image layout in an archive, in a directory that is the caller's to delete. */
export async function unpackArchive(archive: string, signal?: AbortSignal): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ballast-image-'));
  try {
    const names = await unpack(archive, directory, signal);
    if (names.has('index.json')) return directory;
    if (!names.has('manifest.json')) throw new UsageError(`${archive} is no archive of an image.`);
    await writeLayout(archive, directory);
    return directory;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function unpack(archive: string, directory: string, signal?: AbortSignal): Promise<Set<string>> {
  const names = new Set<string>();
  const entries = extract();
  const read = (async () => {
    for await (const entry of entries) {
      const name = entry.header.name.replace(/^\.\//, '');
      if (entry.header.type !== 'file' || !known.test(name)) {
        entry.resume();
        continue;
      }
      await mkdir(join(directory, dirname(name)), { recursive: true });
      await pipeline(entry, createWriteStream(join(directory, name)));
      names.add(name);
    }
  })();
  const file = createReadStream(archive);
  const unpacked = (await isGzip(archive))
    ? pipeline(file, createGunzip(), entries, { signal })
    : pipeline(file, entries, { signal });
  await Promise.all([read, unpacked]).catch(() => {
    signal?.throwIfAborted();
    throw new UsageError(`${archive} is no whole archive of an image.`);
  });
  return names;
}

/** Of an archive from before Docker 25, which names its layers in a way of its own. */
async function writeLayout(archive: string, directory: string): Promise<void> {
  const read = saved.safeParse(JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')));
  if (!read.success) throw new UsageError(`${archive} is no archive of an image.`);
  const [image, ...others] = read.data;
  if (image === undefined || others.length > 0) throw new UsageError(`${archive} has several images; save one alone.`);
  const writer = await LayoutWriter.in(directory);
  const layers: Blob[] = [];
  const adopted = new Map<string, Blob>();
  for (const name of image.Layers) {
    if (!known.test(name)) throw new UsageError(`${archive} has a layer ${basename(name)} that cannot be read.`);
    // Two layers may be one and the same file.
    const layer = adopted.get(name) ?? (await adopt(directory, name, 'application/vnd.oci.image.layer.v1.tar'));
    adopted.set(name, layer);
    layers.push(layer);
  }
  if (!known.test(image.Config)) throw new UsageError(`${archive} has no configuration that can be read.`);
  const config = await adopt(directory, image.Config, 'application/vnd.oci.image.config.v1+json');
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = { schemaVersion: 2, mediaType, config, layers };
  await writer.index([await writer.json(mediaType, manifest)]);
}

/** The file under the name of its digest. */
async function adopt(directory: string, name: string, mediaType: string): Promise<Blob> {
  const hash = createHash('sha256');
  let size = 0;
  const path = join(directory, name);
  for await (const piece of createReadStream(path)) {
    hash.update(piece);
    size += piece.length;
  }
  const hex = hash.digest('hex');
  await rename(path, join(directory, 'blobs/sha256', hex));
  return { mediaType, digest: `sha256:${hex}`, size };
}

async function isGzip(path: string): Promise<boolean> {
  for await (const piece of createReadStream(path, { start: 0, end: 1 })) return piece[0] === 0x1f && piece[1] === 0x8b;
  return false;
}
