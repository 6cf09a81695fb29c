import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { Refusal } from '../../program/refusal.ts';
import { hostBound, type ReadyImage } from '../image.ts';
import { type Engine, failureIn, saidBy, unless } from './engine.ts';

const largestLayer = 16 * 1024 ** 3;

/**
 * The image as `docker load` takes it from any engine. Layers go in as they are; only zstd is taken off, which older
 * engines do not know.
 */
async function imageArchive(
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

/** Images of the store as images of the engine, under names that say whose they are. */
export class Images {
  readonly #engine: Engine;
  readonly #home: string;
  readonly #drafts: string;
  readonly #loading = new Map<string, Promise<void>>();

  constructor(engine: Engine, home: string, drafts: string) {
    this.#engine = engine;
    this.#home = home;
    this.#drafts = drafts;
  }

  async prepare(image: ReadyImage, signal: AbortSignal): Promise<void> {
    const { Os, Arch } = await this.#engine.version();
    const bound = image.annotations[hostBound];
    if (bound !== undefined) {
      throw new Refusal(
        `The image carries no base system: it was made to run on a host of the kind ${bound}, with the process driver and not in containers.`,
      );
    }
    if (image.config.os !== Os || image.config.architecture !== Arch) {
      throw new Refusal(
        `The image is made for ${image.config.os}/${image.config.architecture}, and this engine runs ${Os}/${Arch}; build it for that.`,
      );
    }
    while (this.#loading.has(image.digest)) await this.#loading.get(image.digest)?.catch(() => undefined);
    if ((await this.find(image)) !== undefined) return;
    const loading = this.#load(image, signal);
    this.#loading.set(image.digest, loading);
    await loading.finally(() => this.#loading.delete(image.digest));
  }

  /** The engine's id of the image: nothing if it has none of that name, or another one. */
  async find(image: ReadyImage): Promise<string | undefined> {
    const found = await this.#engine
      .ask((docker) => docker.getImage(this.#nameOf(image.digest)).inspect())
      .catch(unless(404));
    if (found === undefined) return undefined;
    const config = createHash('sha256').update(readFileSync(image.configPath)).digest('hex');
    // Engines that keep images in containerd name them by a manifest that they make; the layers say as much.
    const same = found.Id === `sha256:${config}` || isSame(found.RootFS?.Layers ?? [], image.config.diffIds);
    return same ? found.Id : undefined;
  }

  async forget(kept: ReadonlySet<string>): Promise<void> {
    const filters = { reference: [`ballast/*:${this.#home}`] };
    const images = await this.#engine.ask((docker) => docker.listImages({ filters }));
    for (const name of images.flatMap(({ RepoTags }) => RepoTags ?? [])) {
      const [, hex, home] = /^ballast\/([0-9a-f]{64}):([0-9a-f]+)$/.exec(name) ?? [];
      if (hex === undefined || home !== this.#home || kept.has(`sha256:${hex}`)) continue;
      await this.#untag(name);
    }
  }

  async #load(image: ReadyImage, signal: AbortSignal): Promise<void> {
    const name = this.#nameOf(image.digest);
    const archive = await imageArchive(image, name, this.#drafts, signal);
    try {
      const said = await this.#engine.wait((docker) => docker.loadImage(archive.stream, { quiet: true }));
      const failure = await failureIn(said, signal);
      if (failure !== undefined) throw new Refusal(`The Docker engine cannot load the image: ${failure}.`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal) throw error;
      throw new Error(`The Docker engine did not load the image: ${saidBy(error)}`, { cause: error });
    } finally {
      await archive.close();
    }
    if ((await this.find(image)) !== undefined) return;
    await this.#untag(name);
    throw new Refusal('The Docker engine loaded another image than it was sent; build the image again.');
  }

  async #untag(name: string): Promise<void> {
    // Gone, or a container is made from it: then the next time.
    await this.#engine.ask((docker) => docker.getImage(name).remove()).catch(unless(404, 409));
  }

  #nameOf(digest: string): string {
    return `ballast/${digest.slice('sha256:'.length)}:${this.#home}`;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
