import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import type { ReadyImage } from '../drivers/image.ts';
import { Refusal } from '../program/refusal.ts';
import { LayerEntries } from './layer-entries.ts';
import { flushTree, Tree } from './tree.ts';

export interface UnpackLimits {
  /** Of all layers, when they are not compressed. */
  bytes: number;
  entries: number;
}

const ordinary: UnpackLimits = { bytes: 32 * 1024 ** 3, entries: 500_000 };
/** Drafts that are being written by this process; others of the same name were left by one that was killed. */
const drafts = new Set<string>();

/**
 * Unpacks all layers of an image into a directory, which is there afterwards and whole, or is not there at all. One that
 * is there already is left as it is. The files belong to the agent, and only their owner may write.
 */
export async function unpack(
  image: ReadyImage,
  directory: string,
  signal: AbortSignal,
  limits: UnpackLimits = ordinary,
): Promise<void> {
  if (await hasFiles(directory)) return;
  await removeOldDrafts(directory);
  const draft = `${directory}.${randomBytes(6).toString('hex')}.draft`;
  drafts.add(draft);
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(draft);
    const budget = { ...limits, free: bavail * bsize * 0.95 };
    const tree = new Tree(draft);
    for (const [number, layer] of image.layers.entries()) {
      await unpackLayer(layer, image.config.diffIds[number], tree, budget, signal);
    }
    tree.checkLinks();
    await flushTree(draft, signal);
    await chmod(draft, 0o755);
    await moveInto(draft, directory);
  } finally {
    await rm(draft, { recursive: true, force: true });
    drafts.delete(draft);
  }
}

type Budget = UnpackLimits & { free: number };

async function unpackLayer(
  layer: ReadyImage['layers'][number],
  diffId: string | undefined,
  tree: Tree,
  budget: Budget,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      budget.bytes -= chunk.length;
      budget.free -= chunk.length;
      hash.update(chunk);
      if (budget.bytes < 0) done(new Refusal('The image is too large when it is unpacked.'));
      else if (budget.free < 0) done(new NoRoom());
      else done(null, chunk);
    },
  });
  const entries = new LayerEntries(tree);
  const archive = extract();
  let taking = Promise.resolve();
  archive.on('entry', (header, content, next) => {
    content.on('error', () => {}); // Told by the archive itself.
    budget.entries -= 1;
    if (budget.entries < 0) next(new Refusal('The image has too many files.'));
    else {
      taking = entries.take(header, content);
      taking.then(() => next(), next);
    }
  });
  const decoders = decodersOf(layer.mediaType);
  try {
    await pipeline([createReadStream(layer.path), ...decoders, meter, archive], { signal });
  } catch (error) {
    throw explained(error, layer.digest);
  } finally {
    // Nothing is written any more when the draft is taken away.
    await taking.catch(() => {});
  }
  if (`sha256:${hash.digest('hex')}` !== diffId) {
    throw new Refusal(`The layer ${layer.digest} unpacks to other content than the image's configuration says.`);
  }
}

function decodersOf(mediaType: string): NodeJS.ReadWriteStream[] {
  if (mediaType.endsWith('gzip')) return [createGunzip()];
  if (mediaType.endsWith('zstd')) return [createZstdDecompress()];
  return [];
}

/**
 * System errors (no space, no permission) may pass; errors of decoders and of the archive lie in the image for good.
 */
function explained(error: unknown, digest: string): unknown {
  if (error instanceof Refusal || !(error instanceof Error) || error.name === 'AbortError') return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return new NoRoom();
  if ('syscall' in error || error instanceof NoRoom) return error;
  return new Refusal(`The layer ${digest} is not a readable archive: ${code || error.message}.`);
}

class NoRoom extends Error {
  override readonly message = 'The disk has no space left to unpack the image; free some.';
}

async function moveInto(draft: string, directory: string): Promise<void> {
  try {
    await rename(draft, directory);
  } catch (error) {
    // Somebody else has unpacked the same meanwhile.
    if (!(await hasFiles(directory))) throw error;
    return;
  }
  const parent = await open(dirname(directory), 'r');
  await parent.sync().finally(() => parent.close());
}

async function hasFiles(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch(() => []);
  return names.length > 0;
}

async function removeOldDrafts(directory: string): Promise<void> {
  const names = await readdir(dirname(directory)).catch(() => []);
  for (const name of names) {
    const path = join(dirname(directory), name);
    const old = name.startsWith(`${basename(directory)}.`) && /\.[0-9a-f]{12}\.draft$/.test(name) && !drafts.has(path);
    if (old) await rm(path, { recursive: true, force: true });
  }
}
