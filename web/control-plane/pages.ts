import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { getUntypedClient } from '@trpc/client';
import { useEffect, useMemo, useRef } from 'react';
import { nameOf } from './operation-name.ts';
import { usePlane } from './plane.ts';

interface PageOf<Item> {
  items: Item[];
  nextCursor?: string | undefined;
}

/** An operation that lists, such as `trpc.teams.list`. */
export interface Lists<Input, Item> {
  pathKey(): readonly unknown[];
  '~types': { input: Input; output: PageOf<Item> };
}
type QueryInput<Input> = Extract<Input, object>;
type QueryOf<Input> = 'query' extends keyof QueryInput<Input>
  ? Omit<NonNullable<QueryInput<Input>['query']>, 'cursor'>
  : never;

export type PagesOptions<Input, Item> = {
  query?: QueryOf<Input>;
  /** Polling interval in milliseconds, for data that the event stream does not cover; only while the tab is visible. */
  every?: number | false | (() => number | false);
} & ([QueryInput<Input>] extends [never] // It takes nothing.
  ? { path?: undefined }
  : QueryInput<Input> extends { path: infer Path }
    ? { path: Path }
    : { path?: undefined }) &
  /** A thing that moved to another page between two requests is shown once. */
  (Item extends { id: string } ? { id?: (item: Item) => string } : { id: (item: Item) => string });

/** Added by `useSought`. */
interface WhenSought {
  /** `false`: nothing is asked. */
  when?: boolean;
  /** The answer before stands until the next one is here. */
  keep?: boolean;
}

interface AnyOptions extends WhenSought {
  path?: unknown;
  query?: object;
  every?: number | false | (() => number | false);
  id?: (item: unknown) => string;
}

export interface Pages<Item> {
  query: Pick<
    UseInfiniteQueryResult<unknown>,
    'isError' | 'error' | 'refetch' | 'isFetchingNextPage' | 'isFetchNextPageError'
  >;
  /** All that is loaded so far; undefined before the first page. */
  items: Item[] | undefined;
  id: (item: Item) => string;
  /** Present if there is more. */
  loadMore: (() => void) | undefined;
  /** There is no more than what is loaded. */
  whole: boolean;
  /** The items are an answer to what was asked before. */
  stale?: boolean;
  /** They were narrowed by words: `of` how many, if all are loaded. */
  narrowed?: { of: number | undefined };
  /** `q` of the address narrows it. */
  searched?: boolean;
}

/** Begins the key of every paginated list of an operation, for `meanwhile` of `useChange`. */
export function pagesKey(operation: { pathKey(): readonly unknown[] }): readonly unknown[] {
  return [...operation.pathKey(), 'pages'];
}

/**
 * A paginated list, page after page. A change that touches the operation finds it by `pathKey()`.
 *
 *     usePages(trpc.members.list, { path: { id }, query: { limit: 100 }, id: ({ userId }) => userId })
 */
export function usePages<Input, Item>(
  operation: Lists<Input, Item>,
  ...[options]: Record<never, never> extends PagesOptions<Input, Item>
    ? [options?: PagesOptions<Input, Item>]
    : [options: PagesOptions<Input, Item>]
): Pages<Item> {
  const { client } = usePlane();
  const { path, query = {}, every = false, id = ownId, when = true, keep = false } = (options ?? {}) as AnyOptions;
  const name = nameOf(operation);
  const list = useInfiniteQuery({
    queryKey: [...pagesKey(operation), { path, query }],
    queryFn: ({ pageParam: cursor, signal }) => {
      const asked = { path, query: cursor === undefined ? query : { ...query, cursor } };
      return getUntypedClient(client).query(name, asked, { signal }) as Promise<PageOf<Item>>;
    },
    // A hint refetches the page that shows its thing.
    meta: { idOf: id },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor,
    enabled: when,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: every,
    refetchOnMount: every === false ? true : 'always',
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const idOf = useRef(id);
  idOf.current = id;
  const items = useMemo(() => {
    const once = new Map(data?.pages.flatMap((page) => page.items).map((item) => [idOf.current(item), item]));
    return data === undefined ? undefined : [...once.values()];
  }, [data]);
  /** A hint refetches the loaded pages and cancels this fetch, so it is retried. */
  const more = async (): Promise<void> => {
    const loaded = data?.pages.length ?? 0;
    for (let tries = 0; tries < 3; tries += 1) {
      const after = await fetchNextPage();
      if (after.isError || !after.hasNextPage || (after.data?.pages.length ?? 0) > loaded) return;
    }
  };
  const loadMore = hasNextPage && !isFetchingNextPage ? () => void more() : undefined;
  return { query: list, items, id, loadMore, whole: data !== undefined && !hasNextPage, stale: list.isPlaceholderData };
}

/** Things that are all known already, for a table of them. */
export function wholeList<Item>(items: Item[], id: (item: Item) => string): Pages<Item> {
  const query = { isError: false, error: null, isFetchingNextPage: false, isFetchNextPageError: false };
  return { query: { ...query, refetch: never }, items, id, loadMore: undefined, whole: true };
}

const never = () => Promise.reject(new Error('A list that is known already is not asked for.'));

const ownId = (item: unknown): string => (item as { id: string }).id;

/** Applies a change to the items of a loaded list, for `meanwhile` of `useChange`. */
export function withItems<Item>(change: (items: Item[]) => Item[]) {
  return (before: InfiniteData<PageOf<Item>>): InfiniteData<PageOf<Item>> => ({
    ...before,
    pages: before.pages.map((page) => ({ ...page, items: change(page.items) })),
  });
}

/** Loads a list to its end while `wanted`, so that a search among what is loaded misses nothing. */
export function useWhole<Item>({ loadMore, query }: Pages<Item>, wanted: boolean): void {
  useEffect(() => {
    if (wanted && !query.isFetchNextPageError) loadMore?.();
  }, [wanted, loadMore, query.isFetchNextPageError]);
}
