import type { HeardHint } from '../../db/engine/feed/feed.ts';

/**
 * Paces the hints of one person's inbox on one stream. A hint that comes too soon after the last one is held until the
 * time is over, and stands for all that come meanwhile: so the last hint comes after the last change, and whoever fetches
 * at each hint ends with the right count. A stream that ends with a hint in hand loses nothing, since its reader fetches
 * everything when it opens the next one.
 */
export class InboxPace {
  readonly #millis: number;
  readonly #again: (hint: HeardHint) => void;
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `again` is given a held hint when its time has come. */
  constructor(millis: number, again: (hint: HeardHint) => void) {
    this.#millis = millis;
    this.#again = again;
  }

  /** Whether the hint is told now. Hints of other kinds always are. */
  lets(hint: HeardHint): boolean {
    if (hint.kind !== 'notification') return true;
    if (this.#timer !== undefined) return false;
    const wait = this.#toldAt + this.#millis - performance.now();
    if (wait <= 0) {
      this.#toldAt = performance.now();
      return true;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#again(hint);
    }, wait);
    return false;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
