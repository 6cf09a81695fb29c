import { z } from 'zod';
import type { Driver, Exit } from '../../drivers/driver.ts';

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

const most = 20;
const longest = 2_000;
const patience = 3_000;

/** The last lines of instances that failed, read once each, before anything of them is removed. */
export class LastLines {
  readonly #driver: Driver;
  readonly #onChange: () => void;
  readonly #known = new Map<string, readonly string[]>();
  readonly #reading = new Set<string>();

  constructor(driver: Driver, onChange: () => void) {
    this.#driver = driver;
    this.#onChange = onChange;
  }

  of(instance: string): readonly string[] | undefined {
    return this.#known.get(instance);
  }

  /** Reads those that are not known yet, and forgets those that nobody asks for any more. */
  read(instances: readonly string[]): void {
    for (const id of this.#known.keys()) if (!instances.includes(id)) this.#known.delete(id);
    for (const id of instances) {
      if (this.#known.has(id) || this.#reading.has(id)) continue;
      this.#reading.add(id);
      this.#read(id)
        // A log that cannot be read is no reason to go on with what failed.
        .catch(() => [])
        .then((lines) => {
          this.#known.set(id, lines);
          this.#reading.delete(id);
          this.#onChange();
        });
    }
  }

  async #read(id: string): Promise<string[]> {
    const lines: { at: number; text: string }[] = [];
    const signal = AbortSignal.timeout(patience);
    try {
      for await (const news of this.#driver.logs(id, { start: { tail: most }, follow: false, signal })) {
        if (!('bytes' in news)) continue;
        const texts = news.bytes.toString('utf8').replace(/\n$/, '').split('\n');
        for (const text of texts) lines.push({ at: news.at.getTime(), text });
      }
    } catch (error) {
      if (lines.length === 0) throw error;
    }
    return lines
      .sort((one, other) => one.at - other.at)
      .slice(-most)
      .map(({ text }) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text));
  }
}
