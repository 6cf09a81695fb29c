import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Lists, type Pages, type PagesOptions, usePages } from './pages.ts';

/** Whether each typed word occurs in one of the texts, as the API decides for the rest of a list (db/search/finder.ts). */
export function isSought(texts: readonly string[], sought: string): boolean {
  const text = texts.join('\n').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Longer than anything that has a name; the API takes no more. */
const most = 200;

interface SoughtBy<Item> {
  sought: string;
  /** The same after a pause at typing, where `sought` has every letter. */
  late?: string;
  /** Where the API looks for the words. A function that is the same at each call. */
  texts: (item: Item) => readonly string[];
}

const ownName = (item: unknown): string[] => [(item as { name: string }).name];

/** The list of a page, narrowed by `q` of its address; `ListPage` has the field for that. */
export function useListed<Input, Item>(
  operation: Lists<Input, Item>,
  options = {} as PagesOptions<Input, Item>,
  texts: (item: Item) => readonly string[] = ownName,
): Pages<Item> {
  const { q = '' }: { q?: string } = useSearch({ strict: false });
  return { ...useSought(operation, options, { sought: q, texts }), searched: true };
}

/**
 * A list narrowed by words: at once among what is loaded, and by the API where that is not all there is.
 *
 *     useSought(trpc.teams.list, {}, { sought: q, texts: ({ name }) => [name] })
 */
export function useSought<Input, Item>(
  operation: Lists<Input, Item>,
  options: PagesOptions<Input, Item>,
  { sought, late = sought, texts }: SoughtBy<Item>,
): Pages<Item> {
  const q = sought.trim().slice(0, most);
  const asked = late.trim().slice(0, most);
  const list = usePages as unknown as (operation: Lists<Input, Item>, options: object) => Pages<Item>;
  const all = list(operation, options);
  const asks = q !== '' && !all.whole;
  const found = list(operation, {
    ...options,
    query: { ...options.query, q: asked },
    when: asks && asked !== '',
    keep: true,
  });
  const waits = asks && (asked !== q || found.items === undefined || found.stale === true);
  const { id } = all;
  const loaded = useMemo(() => {
    if (q === '' || (asks && !waits)) return [];
    const once = new Map([...(all.items ?? []), ...((asks && found.items) || [])].map((item) => [id(item), item]));
    return [...once.values()].filter((item) => isSought(texts(item), q));
  }, [q, asks, waits, all.items, found.items, id, texts]);

  if (q === '') return all;
  if (!asks) return { ...all, items: loaded, narrowed: { of: all.items?.length } };
  const narrowed = { of: undefined };
  if (!waits || found.query.isError) return { ...found, narrowed };
  // Whether nothing fits is not known yet.
  return { ...found, items: loaded.length === 0 ? undefined : loaded, loadMore: undefined, whole: false, narrowed };
}
