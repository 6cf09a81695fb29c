import type { HeardHint } from '../../db/engine/feed/feed.ts';

/**
 * Paces the hints of one person's inbox on one stream. A hint that comes too soon after the last one is held until the
 * time is over, and stands for all that come meanwhile: so the last hint comes after the last change, and whoever fetches
 * at each hint ends with the right count. A stream that ends with a hint in hand loses nothing, since its reader fetches
 * everything when it opens the next one.
 */
export class InboxPace {
  readonly #millis: number;
  readonly #random: () => number;
  readonly #again: (hint: HeardHint) => void;
  #nextAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `again` is given a held hint when its time has come. */
  constructor(millis: number, again: (hint: HeardHint) => void, random: () => number = Math.random) {
    this.#millis = millis;
    this.#random = random;
    this.#again = again;
  }

  /** Whether the hint is told now. Hints of other kinds always are. */
  lets(hint: HeardHint): boolean {
    if (hint.kind !== 'notification') return true;
    if (this.#timer !== undefined) return false;
    const now = performance.now();
    if (now >= this.#nextAt) {
      // One event concerns many people: later or sooner, they do not all fetch at the same moment, second after second.
      this.#nextAt = now + this.#millis * (1 + this.#random());
      return true;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#again(hint);
    }, this.#nextAt - now);
    return false;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
