import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { offsetsOf, type Rendered, renderedOf, type Span, spanOf } from './heights.ts';

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
