import { z } from 'zod';
import type { Exit } from '../../drivers/driver.ts';

/** The ends of an instance that nobody asked for, since it last held. */
export const crashes = z.object({
  count: z.int().min(1),
  /** The run that was counted last, so that a later agent does not count it again. */
  run: z.int(),
  /** When the first one was, and how long the longest run among them lasted, in milliseconds. */
  first: z.number(),
  longest: z.number(),
  /** How the last one was. */
  how: z.string(),
  /** The message that people see; it changes with the third crash and each doubling, not with every crash. */
  told: z.object({ restarts: z.int(), seconds: z.number(), how: z.string() }).optional(),
});
export type Crashes = z.infer<typeof crashes>;

const manyAreALoop = 3;
const shortestHold = 30_000;
const longestHold = 5 * 60_000;

export function crashed(
  before: Crashes | undefined,
  { run, at, lasted, how }: { run: number; at: number; lasted: number; how: string },
): Crashes {
  const count = (before?.count ?? 0) + 1;
  const first = before?.first ?? at - lasted;
  const longest = Math.max(before?.longest ?? 0, lasted);
  const news = count === manyAreALoop || (count > manyAreALoop && Number.isInteger(Math.log2(count)));
  const seconds = Math.max(1, Math.round((at - first) / 1000));
  const told = news ? { restarts: count, seconds, how } : before?.told;
  return { count, run, first, longest, how, ...(told === undefined ? {} : { told }) };
}

/** So long must a run be well until the ends before it are forgotten: clearly longer than those that crashed. */
export function holdAfter({ longest }: Crashes): number {
  return Math.min(longestHold, Math.max(shortestHold, 2 * longest));
}

export function isLoop(found: Crashes | undefined): found is Crashes & { told: NonNullable<Crashes['told']> } {
  return found?.told !== undefined && found.count >= manyAreALoop;
}

/** "exited with code 1, 8 restarts in 2 min". */
export function loopText({ restarts, seconds, how }: NonNullable<Crashes['told']>): string {
  return `${how}, ${restarts} restarts in ${seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`;
}

export function crashText({ code, signal, outOfMemory }: Exit): string {
  if (outOfMemory) return 'was killed because it needs more memory than its limit';
  if (signal !== undefined) return `was killed by ${signal}`;
  return code === undefined ? 'ended while nobody saw it' : `exited with code ${code}`;
}
