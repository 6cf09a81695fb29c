import { setTimeout as wait } from 'node:timers/promises';

/** Waits, or ends at once when told to. */
export async function pause(millis: number, signal?: AbortSignal): Promise<void> {
  await wait(millis, undefined, { signal, ref: true }).catch(() => {});
}

/** How long to wait before the next attempt: a quarter of a second, doubling to 15 s, spread so that many agents do not come at once. */
export class BackOff {
  #attempt = 0;

  next(atLeast = 0): number {
    const ceiling = Math.min(15_000, 250 * 2 ** this.#attempt);
    this.#attempt = Math.min(this.#attempt + 1, 10);
    return Math.max(atLeast, Math.max(250, ceiling * (0.5 + Math.random() / 2)));
  }

  reset(): void {
    this.#attempt = 0;
  }
}
