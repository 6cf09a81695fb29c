import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { hints, isHintKind } from '../../domain/hints.ts';

interface Paced {
  /** From when on it may be told of again. */
  nextAt: number;
  /** Of the hint that is held. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Paces the hints of things that change with every event, as a person's inbox, on one stream. A hint that comes too soon
 * after the last one of the same thing is held until the time is over, and stands for all that come meanwhile: so the last
 * hint comes after the last change, and whoever fetches at each hint ends with what is so. A stream that ends with a hint
 * in hand loses nothing, since its reader fetches everything when it opens the next one.
 */
export class HintPace {
  readonly #millis: number;
  readonly #random: () => number;
  readonly #again: (hint: HeardHint) => void;
  readonly #things = new Map<string, Paced>();

  /** `again` is given a held hint when its time has come. */
  constructor(millis: number, again: (hint: HeardHint) => void, random: () => number = Math.random) {
    this.#millis = millis;
    this.#random = random;
    this.#again = again;
  }

  /** Whether the hint, which has the id that its reader is told, is told now. Hints of other kinds always are. */
  lets(hint: HeardHint): boolean {
    const { kind, id } = hint;
    if (!isHintKind(kind) || hints[kind].paced !== true) return true;
    const key = `${kind} ${id}`;
    const thing = this.#things.get(key) ?? { nextAt: Number.NEGATIVE_INFINITY, timer: undefined };
    this.#things.set(key, thing);
    if (thing.timer !== undefined) return false;
    const now = performance.now();
    if (now >= thing.nextAt) {
      // One event concerns many people: later or sooner, they do not all fetch at the same moment, second after second.
      thing.nextAt = now + this.#millis * (1 + this.#random());
      return true;
    }
    thing.timer = setTimeout(() => {
      thing.timer = undefined;
      this.#again(hint);
    }, thing.nextAt - now);
    return false;
  }

  end(): void {
    for (const { timer } of this.#things.values()) clearTimeout(timer);
  }
}
