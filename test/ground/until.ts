import { setTimeout as pause } from 'node:timers/promises';

/** Waits for a condition: looks until there is an answer, and says what it saw last when there is none in time. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 15): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s.`);
    await pause(20);
  }
}
