import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Heights } from './heights.ts';
import type { LogRow } from './rows.ts';

/** Rendered beyond both ends of the box. */
const margin = 30;
export const lineHeight = 20;
const borderHeight = 36;

interface Layout {
  wrap: boolean;
  /** Characters that fit beside the gutter, or beneath it. */
  columns: number;
  /** The gutter has a line of its own. */
  stacked: boolean;
}

interface Anchor {
  row: LogRow;
  /** The row's index when it was last looked up. */
  index: number;
  /** How far its top is above that of the box. */
  above: number;
}

export interface RowsWindow {
  first: number;
  end: number;
  before: number;
  after: number;
  /** Brings a row into view. */
  show(index: number, where?: 'middle' | 'bottom'): void;
}

/**
 * The rows near the box that scrolls. Heights of rows that were never shown follow from the length of their text; what is
 * measured corrects them, and the row that the reader looks at stays where it is.
 */
export function useRowsWindow(
  box: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  rows: readonly LogRow[],
  { wrap, columns, stacked }: Layout,
  { following, onFollow }: { following: boolean; onFollow: (following: boolean) => void },
): RowsWindow {
  const heights = useRef(new Heights());
  const known = useRef<{ rows: readonly LogRow[]; layout: string }>({ rows: [], layout: '' });
  const measured = useRef(new WeakMap<LogRow, number>());
  const anchor = useRef<Anchor>(undefined);
  const placed = useRef(0);
  const [span, setSpan] = useState({ first: 0, end: 0 });
  const layout = `${wrap} ${columns} ${stacked}`;

  if (known.current.rows !== rows || known.current.layout !== layout) {
    if (known.current.layout !== layout) measured.current = new WeakMap();
    const { count } = heights.current;
    const before = known.current.rows;
    const isLonger = known.current.layout === layout && rows.length >= count && rows[0] === before[0];
    // Rows that came late stand between others: everything is laid out again.
    const isAppended = isLonger && count > 0 && rows[count - 1] === before[count - 1];
    if (!isAppended) heights.current.clear();
    for (let index = heights.current.count; index < rows.length; index += 1) {
      const row = rows[index];
      if (row !== undefined)
        heights.current.push(measured.current.get(row) ?? estimate(row, { wrap, columns, stacked }));
    }
    known.current = { rows, layout };
  }

  const look = useCallback(() => {
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    const first = Math.max(0, heights.current.at(scrollTop) - margin);
    const end = Math.min(heights.current.count, heights.current.at(scrollTop + clientHeight) + margin);
    setSpan((now) => (now.first === first && now.end === end ? now : { first, end }));
  }, [box]);

  const scroll = useCallback(
    (top: number) => {
      if (box.current === null) return;
      if (Math.abs(box.current.scrollTop - top) >= 1) box.current.scrollTop = top;
      placed.current = box.current.scrollTop;
    },
    [box],
  );

  const place = useCallback(() => {
    if (box.current === null) return;
    const at = anchor.current;
    if (following || at === undefined) {
      if (following) scroll(box.current.scrollHeight - box.current.clientHeight);
      return;
    }
    if (rows[at.index] !== at.row) at.index = rows.indexOf(at.row);
    if (at.index >= 0) scroll(heights.current.offset(at.index) + at.above);
  }, [box, following, rows, scroll]);

  useLayoutEffect(() => {
    let changed = false;
    for (const element of list.current?.children ?? []) {
      const index = Number(element.getAttribute('data-index'));
      const row = rows[index];
      const height = element.getBoundingClientRect().height;
      if (row === undefined || height === 0 || Math.abs(heights.current.get(index) - height) < 0.5) continue;
      heights.current.set(index, height);
      measured.current.set(row, height);
      changed = true;
    }
    place();
    look();
    if (changed) setSpan((now) => ({ ...now }));
  });

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      if (Math.abs(scrollTop - placed.current) >= 1) {
        const up = scrollTop < placed.current;
        placed.current = scrollTop;
        const index = heights.current.at(scrollTop);
        const row = known.current.rows[index];
        anchor.current = row && { row, index, above: scrollTop - heights.current.offset(index) };
        const below = scrollHeight - clientHeight - scrollTop;
        if (up && below > 4) onFollow(false);
        else if (below < 4) onFollow(true);
      }
      look();
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => element.removeEventListener('scroll', scrolled);
  }, [box, look, onFollow]);

  const show = useCallback(
    (index: number, where: 'middle' | 'bottom' = 'middle') => {
      const row = known.current.rows[index];
      if (row === undefined || box.current === null) return;
      const { clientHeight } = box.current;
      const space = where === 'middle' ? clientHeight / 2 : clientHeight - heights.current.get(index) - lineHeight;
      anchor.current = { row, index, above: -Math.max(0, space) };
      // Where everything is in view, the newest row is, too.
      if (heights.current.total > clientHeight) onFollow(false);
      scroll(heights.current.offset(index) - Math.max(0, space));
      look();
    },
    [box, look, onFollow, scroll],
  );

  const first = Math.min(span.first, Math.max(0, rows.length - 1));
  const end = Math.min(Math.max(span.end, first + 1), rows.length);
  const begin = heights.current.offset(first);
  return { first, end, before: begin, after: heights.current.total - heights.current.offset(end), show };
}

function estimate(row: LogRow, { wrap, columns, stacked }: Layout): number {
  if (row.kind !== 'line') return borderHeight;
  if (!wrap) return lineHeight;
  const lines = Math.max(1, Math.ceil(Math.min(row.text.length, longestShown) / Math.max(1, columns)));
  return lineHeight * (stacked ? lines + 1 : lines);
}

/** Of a longer line only the beginning is rendered until somebody asks for all of it. */
export const longestShown = 4_000;
