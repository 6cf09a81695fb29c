import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

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

interface Span {
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

interface Rendered {
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

/** Shorter lists are rendered whole: the browser's own search finds everything in them. */
export const most = 60;
/** Rendered beyond the window on both sides, in pixels: a turn of the wheel does not meet a blank. */
const margin = 600;
const guess = 57;

interface VirtualRows extends Rendered {
  /** For the `ref` of a row, which is measured from then on. */
  measure: (row: HTMLElement | null) => (() => void) | undefined;
}

/** The rows near the window. `kept` is the id of one that stays rendered, since it has the focus or is about to. */
export function useVirtualRows(
  ids: readonly string[],
  body: RefObject<HTMLElement | null>,
  kept: string | undefined,
): VirtualRows {
  const heights = useRef(new Map<string, number>());
  const observer = useRef<ResizeObserver>(undefined);
  const [, measured] = useState(0);
  const [span, setSpan] = useState<Span>({ first: 0, end: most });
  const virtual = ids.length > most;
  const offsets = virtual ? offsetsOf(ids, heights.current, guess) : [];
  const latest = useRef(offsets);
  latest.current = offsets;

  const look = useCallback(() => {
    if (body.current === null || latest.current.length === 0) return;
    const { top } = body.current.getBoundingClientRect();
    const next = spanOf(latest.current, -top - margin, window.innerHeight - top + margin);
    setSpan((before) => (before.first === next.first && before.end === next.end ? before : next));
  }, [body]);
  // Rows that were just added or measured move the others.
  useLayoutEffect(look);
  useEffect(() => {
    if (!virtual) return;
    // Captured: whatever scrolls, the page or a dialog around the table.
    const over = new AbortController();
    const listening = { capture: true, passive: true, signal: over.signal };
    document.addEventListener('scroll', look, listening);
    let width = window.innerWidth;
    const resized = () => {
      // Rows of another width have other heights.
      if (width !== window.innerWidth) heights.current.clear();
      width = window.innerWidth;
      look();
    };
    window.addEventListener('resize', resized, listening);
    return () => over.abort();
  }, [virtual, look]);

  const measure = useCallback((row: HTMLElement | null) => {
    if (row === null) return;
    observer.current ??= new ResizeObserver((entries) => {
      let changed = false;
      for (const { target, borderBoxSize } of entries) {
        const id = target.getAttribute('data-id') ?? '';
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (height === 0 || Math.abs((heights.current.get(id) ?? 0) - height) < 0.5) continue;
        heights.current.set(id, height);
        changed = true;
      }
      if (changed) measured((count) => count + 1);
    });
    observer.current.observe(row);
    return () => observer.current?.unobserve(row);
  }, []);

  if (!virtual) return { rows: ids.map((_, row) => ({ row, gap: 0 })), rest: 0, measure };
  const end = Math.min(span.end, ids.length);
  const first = Math.min(span.first, Math.max(0, end - 1));
  return { ...renderedOf(offsets, { first, end }, kept === undefined ? -1 : ids.indexOf(kept)), measure };
}
