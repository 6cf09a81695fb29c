/** Where each row begins, and after the last one the end: measured heights, and their mean for rows never shown. */
export function offsetsOf(ids: readonly string[], heights: ReadonlyMap<string, number>, guess: number): number[] {
  let sum = 0;
  for (const height of heights.values()) sum += height;
  const mean = heights.size === 0 ? guess : sum / heights.size;
  const offsets = [0];
  let end = 0;
  for (const id of ids) {
    end += heights.get(id) ?? mean;
    offsets.push(end);
  }
  return offsets;
}

export interface Span {
  first: number;
  /** Exclusive. */
  end: number;
}

/** The rows that touch the part of the list from `top` to `bottom`. */
export function spanOf(offsets: readonly number[], top: number, bottom: number): Span {
  const count = offsets.length - 1;
  const first = Math.min(Math.max(0, after(offsets, top) - 1), Math.max(0, count - 1));
  return { first, end: Math.max(Math.min(count, after(offsets, bottom)), Math.min(count, first + 1)) };
}

/** The index of the first offset beyond a place. */
function after(offsets: readonly number[], place: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Rendered {
  /** Each with the height of the rows left out before it. */
  rows: readonly { row: number; gap: number }[];
  /** The height of those left out after the last one. */
  rest: number;
}

/** The rows of a span, and one more that must not go. */
export function renderedOf(offsets: readonly number[], { first, end }: Span, kept: number): Rendered {
  const count = offsets.length - 1;
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  if (kept >= 0 && kept < first) rows.unshift(kept);
  if (kept >= end && kept < count) rows.push(kept);
  const before = (row: number, next: number) => (offsets[row] ?? 0) - (offsets[next] ?? 0);
  return {
    rows: rows.map((row, index) => ({ row, gap: before(row, index === 0 ? 0 : (rows[index - 1] ?? 0) + 1) })),
    rest: before(count, (rows.at(-1) ?? -1) + 1),
  };
}
