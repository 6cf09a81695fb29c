import type { Driver } from '../drivers/driver.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { RolloutFiles } from './rollout-files.ts';
import type { Roster } from './roster.ts';

const logsEvery = 15_000;
const imagesEvery = 10 * 60_000;

interface Parts {
  driver: Driver;
  images: ImageStore;
  roster: Roster;
  rollouts: RolloutFiles;
  warn: (message: string) => void;
  now: number;
}

/** Keeps the disk from filling: logs within their limits, and images only as long as they are of use. */
export class Upkeep {
  readonly #parts: Parts;
  #logsAt = Number.NEGATIVE_INFINITY;
  #imagesAt: number;
  #working = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#imagesAt = parts.now;
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
    const { driver, images, roster, rollouts } = this.#parts;
    if (now - this.#logsAt >= logsEvery) {
      this.#logsAt = now;
      await driver.rotateLogs();
    }
    const entries = [...roster.entries.values()];
    // An image on its way into an instance is not known by its digest yet.
    const underWay = entries.some(({ instance, busy }) => instance === undefined && busy);
    if (underWay || now - this.#imagesAt < imagesEvery) return;
    this.#imagesAt = now;
    const digests = entries.map(({ instance, imageDigest }) => instance?.imageDigest ?? imageDigest);
    const kept = new Set([...digests.filter((digest) => digest !== undefined), ...rollouts.images()]);
    await driver.forgetImages(kept);
    await images.collect(kept);
  }
}
