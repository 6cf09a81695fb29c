import type { ReactNode } from 'react';
import { namesText } from '../names.ts';
import { Time } from '../times/time.tsx';
import type { Column } from './column.ts';

/** The name of each row, with what is said beside it. */
export function nameColumn<Item extends { name: string }>(beside?: (item: Item) => ReactNode): Column<Item> {
  const cell = (item: Item) => (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="font-medium">{item.name}</span>
      {beside?.(item)}
    </span>
  );
  return { label: 'Name', cell, sort: ({ name }) => name };
}

const namesShown = 6;

/** Other things that belong to each row, by their names; sorted by how many they are. */
export function namesColumn<Item>(
  label: string,
  of: (item: Item) => readonly { name: string }[],
  none: string,
): Column<Item> {
  const cell = (item: Item) =>
    namesText(
      of(item).map(({ name }) => name),
      namesShown,
    ) || none;
  return { label, cell, sort: (item) => of(item).length, width: 'minmax(0, 2fr)' };
}

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
