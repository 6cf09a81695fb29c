import type { Slice } from '../../protocol/desired.ts';
import type { Image } from '../../protocol/workload.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Memory } from './memory.ts';
import type { DesiredSlice, Seen } from './observe/seen.ts';
import { processKey } from './plan/keys.ts';
import { labelOf } from './plan/label.ts';

/** A directory on a disk that does not answer must not keep everything else from being taken up. */
const longestLook = 5_000;

/**
 * A layout named without a digest stands for the image that it has when its workload is applied. That one stays until
 * the workload is applied again, however the directory changes meanwhile: so all instances are made from the same.
 */
export class PinnedLayouts {
  readonly #images: ImageStore;
  readonly #memory: Memory;
  readonly #running: (key: string) => string | undefined;

  constructor(images: ImageStore, memory: Memory, running: (key: string) => string | undefined) {
    this.#images = images;
    this.#memory = memory;
    this.#running = running;
  }

  /** Finds out what these slices, which were applied just now, mean by their layouts. */
  async look(slices: readonly Slice[]): Promise<void> {
    await Promise.all(slices.map((slice) => this.#look(slice)));
  }

  /** The image as it is to be made ready. */
  pinned(key: string, image: Image): Image {
    const digest = this.digestOf(key, image);
    return digest === undefined ? image : { ...image, digest };
  }

  /** Of the images that slices name, whether anything of them runs or not. */
  digestsOf(slices: ReadonlyMap<string, DesiredSlice>): (string | undefined)[] {
    return [...slices].map(([key, { workload }]) => workload && this.pinned(key, workload.image).digest);
  }

  digestOf(key: string, image: Image): string | undefined {
    return isOpen(image) ? this.#memory.layouts.get(key)?.digest : undefined;
  }

  /** Pins the digest that the layout resolved to. */
  pin(key: string, image: Image, digest: string): void {
    if (isOpen(image))
      this.#memory.layouts.set(key, { revision: this.#memory.layouts.get(key)?.revision ?? 0, digest });
  }

  /** An instance of a layout that had changed by the next `apply` is replaced, as by a restart. */
  replaceOutdated(seen: readonly Seen[], slices: ReadonlyMap<string, DesiredSlice>): void {
    const { restarts } = this.#memory;
    for (const one of seen) {
      const workload = slices.get(one.key)?.workload;
      const wanted = workload && this.digestOf(one.key, workload.image);
      if (workload === undefined || wanted === undefined || one.retired || one.process.kind === 'cron') continue;
      const name = processKey(one.key, one.process.name);
      const restart = restarts.get(name);
      const current = one.label === labelOf(workload, one.process, restart);
      if (current && one.imageDigest !== undefined && one.imageDigest !== wanted && restart !== `layout ${wanted}`)
        restarts.set(name, `layout ${wanted}`);
    }
  }

  async #look({ key, revision, workload: { image } }: Slice): Promise<void> {
    const { layouts, applied } = this.#memory;
    if (!isOpen(image)) {
      layouts.delete(key);
      return;
    }
    if (layouts.get(key)?.revision === revision) return;
    // An agent before this one noted nothing: what runs is what was meant.
    const running = layouts.has(key) || applied.get(key) !== revision ? undefined : this.#running(key);
    const digest =
      running ?? (await this.#images.digestOf(image, AbortSignal.timeout(longestLook)).catch(() => undefined));
    // Errors of the layout are reported when an instance is created from it.
    if (digest === undefined) layouts.delete(key);
    else layouts.set(key, { revision, digest });
  }
}

function isOpen(image: Image): boolean {
  return 'layout' in image && image.digest === undefined;
}
