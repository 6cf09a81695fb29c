import { statfs } from 'node:fs/promises';
import { type Disk, isUnderPressure } from '../../domain/clusters/clusters.ts';
import type { Driver } from '../drivers/driver.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { RolloutFiles } from './rollout-files.ts';
import type { Roster } from './roster.ts';

const logsEvery = 15_000;
const imagesEvery = 10 * 60_000;
const pressedImagesEvery = 60_000;

interface Parts {
  driver: Driver;
  images: ImageStore;
  roster: Roster;
  rollouts: RolloutFiles;
  /** Digests of the images that the desired state names, whether anything of them runs or not. */
  wanted: () => readonly (string | undefined)[];
  disk: () => Promise<Disk>;
  warn: (message: string) => void;
  now: number;
}

/**
 * Keeps the disk from filling: logs within their limits, and images only as long as they are of use. Under pressure logs are
 * shortened, and every image that nothing runs from and nobody wants goes.
 */
export class Upkeep {
  readonly #parts: Parts;
  #logsAt = Number.NEGATIVE_INFINITY;
  #imagesAt: number;
  #working = false;
  #disk: (Disk & { pressure: boolean }) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#imagesAt = parts.now;
  }

  /** The disk at the last look; nothing before the first one. */
  get disk(): (Disk & { pressure: boolean }) | undefined {
    return this.#disk;
  }

  /** Something was removed: what it was made from may be of no use any more. */
  soon(): void {
    this.#imagesAt = Number.NEGATIVE_INFINITY;
  }

  refresh(now: number): void {
    if (this.#working) return;
    this.#working = true;
    this.#work(now)
      .catch((error: unknown) => this.#parts.warn(`Old logs and images cannot be deleted: ${String(error)}`))
      .finally(() => {
        this.#working = false;
      });
  }

  async #work(now: number): Promise<void> {
    const { driver, images, roster, rollouts, wanted } = this.#parts;
    if (now - this.#logsAt >= logsEvery) {
      this.#logsAt = now;
      await this.#look();
      await driver.rotateLogs(this.#disk?.pressure);
    }
    const pressure = this.#disk?.pressure === true;
    const entries = [...roster.entries.values()];
    // An image on its way into an instance is not known by its digest yet.
    const underWay = entries.some(({ instance, busy }) => instance === undefined && busy);
    if (underWay || now - this.#imagesAt < (pressure ? pressedImagesEvery : imagesEvery)) return;
    this.#imagesAt = now;
    const digests = entries.map(({ instance, imageDigest }) => instance?.imageDigest ?? imageDigest);
    const kept = new Set([...digests, ...rollouts.images(), ...wanted()].filter((digest) => digest !== undefined));
    await driver.forgetImages(kept);
    await images.collect(kept, pressure ? 0 : undefined);
  }

  async #look(): Promise<void> {
    const before = this.#disk?.pressure ?? false;
    // A file system that does not answer is no reason to let logs grow.
    const disk = await this.#parts.disk().catch(() => undefined);
    if (disk === undefined) return;
    this.#disk = { ...disk, pressure: isUnderPressure(disk, before) };
    if (this.#disk.pressure && !before) this.soon();
  }
}

export async function diskOf(path: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { availableBytes: bavail * bsize, capacityBytes: blocks * bsize };
}
