import { type PartName, partNames } from '../installation/running-parts.ts';

export interface Kill {
  what: string;
  parts: readonly PartName[];
  supervisor: boolean;
  /** Chooses which service stands where, what is let go at the time of the kill, and the order of the kills. */
  seed: number;
}

const all: readonly PartName[] = [...partNames, 'agent'];
const alone: readonly PartName[] = ['postgres', 'temporal', 'api', 'worker', 'agent'];
export const everything = 'the supervisor and all parts';

/** Each part alone and all of them; with each further seed everything once more. */
export function killMatrix(seeds: number): Kill[] {
  return [
    { what: everything, parts: all, supervisor: true, seed: 0 },
    ...alone.map((part): Kill => ({ what: part, parts: [part], supervisor: false, seed: 1 })),
    { what: 'all parts', parts: all, supervisor: false, seed: 1 },
    ...Array.from({ length: seeds }, (_, index): Kill[] => [
      { what: 'all parts', parts: all, supervisor: false, seed: index + 2 },
      { what: everything, parts: all, supervisor: true, seed: index + 2 },
    ]).flat(),
  ];
}

/** Numbers from 0 to 1 that are the same for the same seed. */
export function chances(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function shuffled<T>(items: readonly T[], chance: () => number): T[] {
  return items
    .map((item) => ({ item, at: chance() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** Rows of texts beneath a row of heads. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((_, column) => Math.max(...[heads, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [heads, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}
