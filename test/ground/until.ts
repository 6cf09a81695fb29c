import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { loadNow, patient, slowness } from '../run/patience.ts';

/** Notes what a look has seen, to be told if the wait ends in vain. */
export type See = <T>(seen: T) => T;

/**
 * Waits for a condition: looks until there is an answer. The time-out only ends a test that waits in vain: it is multiplied by
 * how slow this machine is, measured again before it ends a wait.
 */
export async function until<T>(
  what: string,
  look: (see: See) => Promise<T | undefined | false>,
  seconds = 120,
): Promise<T> {
  const began = Date.now();
  let last: unknown;
  const see: See = (seen) => {
    last = seen;
    return seen;
  };
  for (let limit = patient(seconds * 1_000); ; ) {
    const seen = await look(see);
    if (seen !== undefined && seen !== false) return seen;
    const waited = Date.now() - began;
    if (waited > limit) {
      // Others may have begun to keep the machine busy since the run began.
      const now = seconds * 1_000 * slowness();
      if (waited > now) throw new Error(inVain(what, waited, last));
      limit = now;
    }
    // The longer it takes, the less often it is asked: looking must not take the time from what is waited for.
    await pause(Math.min(10 + waited / 10, 200));
  }
}

/** Work that has to lie within one minute of the clock, by which rates are counted: it begins early in one. */
export async function inOneMinute(work: () => Promise<void>): Promise<void> {
  await until('the minute has time left', async () => new Date().getSeconds() < 40);
  await work();
}

function inVain(what: string, waited: number, last: unknown): string {
  const saw = last === undefined ? '' : `\nLast seen: ${inspect(last, { depth: 6, breakLength: 120 }).slice(0, 4_000)}`;
  return `${what}: not within ${Math.round(waited / 1000)} s (${loadNow()}).${saw}`;
}
