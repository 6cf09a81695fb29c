import { namesText } from '../names.ts';
import type { Column } from './column.ts';

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
