import { type RefObject, useLayoutEffect, useState } from 'react';
import type { Column } from './column.ts';

/** What a flexible column needs at least, in rem: the name, and any other one. */
const [leastName, leastOther] = [8, 6];
const [gap, padding, menuWidth] = [1, 2, 2];
/** Narrower than this, on phones, rows are blocks however few columns there are. */
const leastTable = 34;

/** The width in rem below which a column would be narrower than its words. */
export function leastWidth(columns: readonly Column<never>[], menu: boolean): number {
  const widths = columns.map(({ width }, index) => {
    const least = Number.parseFloat(/^(?:minmax\()?([\d.]+)/.exec(width ?? '')?.[1] ?? '0');
    return least > 0 ? least : index === 0 ? leastName : leastOther;
  });
  const all = menu ? [...widths, menuWidth] : widths;
  const sum = all.reduce((total, width) => total + width, 0);
  return Math.max(leastTable, sum + (all.length - 1) * gap + padding);
}

/** Whether the table is too narrow for its columns. Known before it is painted. */
export function useStacked(table: RefObject<HTMLElement | null>, least: number): boolean {
  const [stacked, setStacked] = useState(false);
  useLayoutEffect(() => {
    const element = table.current;
    if (element === null) return;
    const look = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setStacked(element.clientWidth < least * rem);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [table, least]);
  return stacked;
}
