import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Refusal } from '../../program/refusal.ts';
import { hostBound, type ReadyImage } from '../image.ts';
import { type Engine, saidBy, statusOf } from './engine.ts';
import { imageArchive } from './image-archive.ts';

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
      .catch((error: unknown) => {
        if (statusOf(error) === 404) return undefined;
        throw error;
      });
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
      let text = '';
      said.on('data', (chunk: Buffer) => {
        text = `${text}${chunk}`.slice(-4_096);
      });
      await once(said, 'end', { signal });
      const [, failure] = /"error":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
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
    await this.#engine
      .ask((docker) => docker.getImage(name).remove())
      .catch((error: unknown) => {
        // Gone, or a container is made from it: then the next time.
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
      });
  }

  #nameOf(digest: string): string {
    return `ballast/${digest.slice('sha256:'.length)}:${this.#home}`;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
