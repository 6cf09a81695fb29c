import type { Driver } from '../drivers/driver.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Roster } from './roster.ts';

const logsEvery = 15_000;
const imagesEvery = 10 * 60_000;

/** Keeps the disk from filling: logs within their limits, and images only as long as they are of use. */
export class Upkeep {
  readonly #driver: Driver;
  readonly #images: ImageStore;
  readonly #roster: Roster;
  readonly #warn: (message: string) => void;
  #logsAt = Number.NEGATIVE_INFINITY;
  #imagesAt: number;
  #working = false;

  constructor(driver: Driver, images: ImageStore, roster: Roster, warn: (message: string) => void, now: number) {
    this.#driver = driver;
    this.#images = images;
    this.#roster = roster;
    this.#warn = warn;
    this.#imagesAt = now;
  }

  /** Something was removed: what it was made from may be of no use any more. */
  soon(): void {
    this.#imagesAt = Number.NEGATIVE_INFINITY;
  }

  refresh(now: number): void {
    if (this.#working) return;
    this.#working = true;
    this.#work(now)
      .catch((error: unknown) => this.#warn(`Old logs and images cannot be deleted: ${String(error)}`))
      .finally(() => {
        this.#working = false;
      });
  }

  async #work(now: number): Promise<void> {
    if (now - this.#logsAt >= logsEvery) {
      this.#logsAt = now;
      await this.#driver.rotateLogs();
    }
    const entries = [...this.#roster.entries.values()];
    // An image on its way into an instance is not known by its digest yet.
    const underWay = entries.some(({ instance, busy }) => instance === undefined && busy);
    if (underWay || now - this.#imagesAt < imagesEvery) return;
    this.#imagesAt = now;
    const digests = entries.map(({ instance, imageDigest }) => instance?.imageDigest ?? imageDigest);
    const kept = new Set(digests.filter((digest) => digest !== undefined));
    await this.#driver.forgetImages(kept);
    await this.#images.collect(kept);
  }
}
