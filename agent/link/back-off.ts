import { setTimeout as wait } from 'node:timers/promises';
import { backOff } from '../../domain/back-off.ts';

const pauses = { first: 250, longest: 15_000 };

/** How long to wait before the next attempt: a quarter of a second, doubling to 15 s, spread so that many agents do not come at once. */
export class SpreadBackOff {
  #failures = 0;

  next(atLeast = 0): number {
    this.#failures += 1;
    const ceiling = backOff(this.#failures, pauses);
    return Math.max(atLeast, pauses.first, ceiling * (0.5 + Math.random() / 2));
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Waits, or ends at once when told to. */
export async function pause(millis: number, signal?: AbortSignal): Promise<void> {
  await wait(millis, undefined, { signal, ref: true }).catch(() => {});
}
