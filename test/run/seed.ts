import { randomInt } from 'node:crypto';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of all that is drawn in this run; `TEST_SEED` gives that of an earlier one. */
    seed: number;
  }
}

/** Drawn anew for each run, so that runs look at different things, and told with each failure, so that it can be repeated. */
export function drawSeed(given = process.env.TEST_SEED): number {
  runs[key] ??= given === undefined ? randomInt(1, 2 ** 31) : Number(given);
  return runs[key];
}

/** Vitest loads its settings once more for each project. */
const key = Symbol.for('the seed of this run of the tests');
const runs = globalThis as { [key]?: number };
