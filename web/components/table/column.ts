import type { ReactNode } from 'react';

export interface Column<Item> {
  label: string;
  cell: (item: Item) => ReactNode;
  /** A loaded value to sort by; rows without one come last. */
  sort?: (item: Item) => string | number | undefined;
  /** A track of CSS grid, such as `8rem` or `minmax(0, 2fr)`. */
  width?: string;
  /** Where rows are stacked and headings hidden: the label stands before the value, the value is left out, or has a line of its own. */
  phone?: 'labelled' | 'hidden' | 'line';
  /** The heading is for screen readers only. */
  unlabelled?: true;
}

/** Tracks of all rows, with one for the menu. */
export function tracksOf(columns: readonly Column<never>[], menu: boolean): string {
  const tracks = columns.map(({ width }, index) => width ?? (index === 0 ? 'minmax(0, 2fr)' : 'minmax(0, 1fr)'));
  return [...tracks, ...(menu ? ['2rem'] : [])].join(' ');
}

export interface Order {
  label: string;
  descending: boolean;
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The loaded items in the order of a column; equal ones stay in the server's order. */
export function sorted<Item>(items: readonly Item[], columns: readonly Column<Item>[], order: Order | undefined) {
  const value = columns.find(({ label }) => label === order?.label)?.sort;
  if (order === undefined || value === undefined) return items;
  const turn = order.descending ? -1 : 1;
  return items
    .map((item) => ({ item, by: value(item) }))
    .sort((one, other) => {
      if (one.by === undefined || other.by === undefined) {
        return Number(one.by === undefined) - Number(other.by === undefined);
      }
      return turn * compare(one.by, other.by);
    })
    .map(({ item }) => item);
}

function compare(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : words.compare(`${one}`, `${other}`);
}

/** A heading pressed again turns the order, a third time gives back the server's. */
export function nextOrder(label: string, before: Order | undefined): Order | undefined {
  if (before?.label !== label) return { label, descending: false };
  return before.descending ? undefined : { label, descending: true };
}
