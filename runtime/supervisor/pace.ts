import { backOff } from '../../domain/back-off.ts';

const pauses = { first: 250, longest: 10_000 };
const remembered = 60_000;
const atOnce = 6;

/**
 * How long to wait before a part is started again. One that had been ready is missed, so it comes back at once; one that ends
 * again and again, ready or not, comes back more and more slowly, so that it leaves the machine to the others.
 */
export class Pace {
  readonly #now: () => number;
  #ends: number[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds to wait, after it has ended now. */
  afterEnd(hadBeenReady: boolean): number {
    const now = this.#now();
    this.#ends = [...this.#ends.filter((at) => now - at < remembered), now];
    const free = hadBeenReady ? atOnce : 0;
    const counted = this.#ends.length - free;
    return counted <= 0 ? 0 : backOff(counted, pauses);
  }
}
