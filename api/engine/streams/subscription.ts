import type { HeardHint } from '../../../db/engine/feed/feed.ts';

/** Hints waiting for one reader. Readers that are behind by the same hints share them. */
const mostWaiting = 30_000;

/**
 * The backlog of one reader of an organization's changes. Its size is bounded: a reader that falls too far
 * behind loses what waits and is told once to fetch everything again.
 */
export class Subscription {
  #waiting: HeardHint[] = [];
  #taken = 0;
  #resync = false;
  /** Nothing is kept until the reader has been told that something was lost. */
  #overflown = false;
  #ended = false;
  #wake: (() => void) | undefined;

  push(hint: HeardHint): void {
    if (this.#ended || this.#overflown) return;
    if (this.#waiting.length - this.#taken >= mostWaiting) {
      this.#waiting = [];
      this.#taken = 0;
      this.#overflown = true;
      this.lost();
    } else {
      this.#waiting.push(hint);
      this.#wake?.();
    }
  }

  /** Hints were lost on their way here. What waits is kept: it is true all the same. */
  lost(): void {
    this.#resync = true;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#waiting = [];
    this.#wake?.();
  }

  /** The next hint, or that some were lost; undefined when it has ended. */
  async next(): Promise<HeardHint | 'lost' | undefined> {
    for (;;) {
      if (this.#ended) return undefined;
      if (this.#resync) {
        this.#resync = false;
        this.#overflown = false;
        return 'lost';
      }
      const hint = this.#waiting[this.#taken];
      if (hint !== undefined) {
        this.#taken += 1;
        if (this.#taken === this.#waiting.length || this.#taken >= 1024) {
          this.#waiting.splice(0, this.#taken);
          this.#taken = 0;
        }
        return hint;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
