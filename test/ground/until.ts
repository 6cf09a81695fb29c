import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits for a condition: looks until there is an answer. The time-out only ends a test that waits in vain, so it is longer
 * than any machine is busy for.
 */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 120): Promise<T> {
  const began = Date.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    const waited = Date.now() - began;
    if (waited > seconds * 1_000) throw new Error(`${what}: not within ${seconds} s.`);
    // The longer it takes, the less often it is asked: looking must not take the time from what is waited for.
    await pause(Math.min(10 + waited / 10, 200));
  }
}
