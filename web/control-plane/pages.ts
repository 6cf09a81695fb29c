import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

interface PageOf<Item> {
  items: Item[];
  nextCursor?: string | undefined;
}

export interface Pages<Item> {
  query: UseInfiniteQueryResult<unknown>;
  /** All that is loaded so far; undefined before the first page. */
  items: Item[] | undefined;
  /** Present if there is more. */
  loadMore: (() => void) | undefined;
}

/**
 * A paginated list. `key` is the operation's `pathKey()` followed by the query, so that a change which touches the
 * operation finds it; `ask` fetches the page at a cursor.
 *
 *     usePages([...trpc.teams.list.pathKey(), 'pages'], (cursor) => client.teams.list.query({ query: { cursor } }))
 */
export function usePages<Item>(
  key: readonly unknown[],
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Item>>,
  /** Polling interval in milliseconds, for data that the event stream does not cover; only while the tab is visible. */
  every: number | false | (() => number | false) = false,
): Pages<Item> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: PageOf<Item>) => last.nextCursor,
    refetchInterval: every,
    refetchOnMount: every === false ? true : 'always',
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  /** A hint refetches the loaded pages and cancels this fetch, so it is retried. */
  const more = async (): Promise<void> => {
    const loaded = data?.pages.length ?? 0;
    for (let tries = 0; tries < 3; tries += 1) {
      const after = await fetchNextPage();
      if (after.isError || !after.hasNextPage || (after.data?.pages.length ?? 0) > loaded) return;
    }
  };
  const loadMore = hasNextPage && !isFetchingNextPage ? () => void more() : undefined;
  return { query, items, loadMore };
}

/** Applies a change to the items of a loaded list, for `meanwhile` of `useChange`. */
export function withItems<Item>(change: (items: Item[]) => Item[]) {
  return (before: InfiniteData<PageOf<Item>>): InfiniteData<PageOf<Item>> => ({
    ...before,
    pages: before.pages.map((page) => ({ ...page, items: change(page.items) })),
  });
}
