import type { ReactNode } from 'react';
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
