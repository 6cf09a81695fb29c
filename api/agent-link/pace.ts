/** How often something may happen to each of many: a few times at once, and then so often a second. Of this process. */
export class Pace {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #left = new Map<string, { left: number; at: number }>();

  constructor({ perSecond, atOnce }: { perSecond: number; atOnce: number }) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
  }

  allows(id: string, now = performance.now()): boolean {
    const known = this.#left.get(id);
    const regained = known === undefined ? 0 : ((now - known.at) / 1_000) * this.#perSecond;
    const left = known === undefined ? this.#atOnce : Math.min(this.#atOnce, known.left + regained);
    const allowed = left >= 1;
    this.#left.delete(id);
    this.#left.set(id, { left: allowed ? left - 1 : left, at: now });
    // Those that were asked for longest ago come first, and are as if they had never been.
    for (const [other, { at }] of this.#left) {
      if (((now - at) / 1_000) * this.#perSecond < this.#atOnce) break;
      this.#left.delete(other);
    }
    return allowed;
  }
}
