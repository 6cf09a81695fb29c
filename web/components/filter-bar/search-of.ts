import type { Pages } from '../../control-plane/pages.ts';

const few = 10;

/** The field that narrows a list by words, for `search` of `FilterBar`; few things are found by looking at them. */
export function searchOf<Item>(
  { searched, items = [], whole, narrowed }: Pages<Item>,
  label: string,
  by: string,
): { search?: { label: string; placeholder: string } } {
  const long = items.length > few || (items.length > 0 && !whole);
  if (searched !== true || !(long || narrowed !== undefined)) return {};
  return { search: { label: `Search ${label}`, placeholder: `Search by ${by}` } };
}
