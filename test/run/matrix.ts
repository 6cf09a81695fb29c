import { inject, test } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is `npm run test:all`. */
    whole: boolean;
  }
}

/** Cells of a matrix: all of them in `npm run test:all`, the chosen ones in `npm test`. The assertions are the same. */
export function cellsOf<Cell>(matrix: readonly Cell[], chosen: (cell: Cell) => boolean): Cell[] {
  return inject('whole') ? [...matrix] : matrix.filter(chosen);
}

/** A test that takes long and whose parts are tested in their rooms as well: it runs in `npm run test:all`. */
export function testInAll(name: string, work: () => Promise<void>): void {
  for (const whole of cellsOf([work], () => false)) test(name, whole);
}
