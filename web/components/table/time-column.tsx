import { Time } from '../times/time.tsx';
import type { Column } from './column.ts';

/** An instant of each row, or a word where there is none. */
export function timeColumn<Item>(
  label: string,
  at: (item: Item) => string | undefined,
  none = 'Never',
  width = '8rem',
): Column<Item> {
  const cell = (item: Item) => {
    const time = at(item);
    return time === undefined ? none : <Time at={time} />;
  };
  return { label, cell, sort: at, width, phone: 'labelled' };
}
