import { type InfiniteData, isCancelledError, type Query, type QueryClient } from '@tanstack/react-query';
import type { Touched } from './affected.ts';

interface Page {
  items: readonly unknown[];
  nextCursor?: string;
}
type List = InfiniteData<Page, string | undefined>;

/** More pages at once are as well asked for one after the other. */
const mostPages = 3;

/** Refetches of the touched queries what is shown and may have changed; others are stale when they are shown again. */
export async function refetch(
  { queryClient, organizationId }: RefetchScope,
  touched: readonly Touched[],
): Promise<void> {
  const whole = new Set<Query>();
  const pages = new Map<Query, Set<number>>();
  for (const { key, which } of touched) {
    for (const query of queryClient.getQueryCache().findAll({ queryKey: key })) {
      const list = listOf(query);
      if (typeof which === 'object' && 'held' in which) {
        const found = list?.pages.flatMap((page, number) => (names(page.items, which.held) ? [number] : []));
        if (found !== undefined) add(pages, query, found);
        else if (query.state.data === undefined || names(query.state.data, which.held)) whole.add(query);
      } else if (
        which === 'all' ||
        (list === undefined && (which === 'new' || concerns(query, which.id, organizationId)))
      ) {
        whole.add(query);
      } else if (list !== undefined) {
        if (which !== 'new' && !concerns(query, which.id, organizationId)) continue;
        const found = which === 'new' ? pageOfNew(list) : pagesWith(query, list, which.id);
        if (found === undefined) whole.add(query);
        else add(pages, query, found);
      }
    }
  }
  for (const [query, numbers] of pages) {
    // A fetch that is under way would overwrite a page of its own; a list that is not shown is fetched when it is.
    const busy = query.state.fetchStatus !== 'idle' || !query.isActive() || numbers.size > mostPages;
    if (busy) whole.add(query);
  }
  await Promise.all([
    queryClient.invalidateQueries({ predicate: (query) => whole.has(query) }),
    ...[...pages].flatMap(([query, numbers]) =>
      whole.has(query) ? [] : [...numbers].map((number) => refetchPage(queryClient, query, number)),
    ),
  ]);
}

function add(pages: Map<Query, Set<number>>, query: Query, found: readonly number[]): void {
  if (found.length > 0) pages.set(query, new Set([...(pages.get(query) ?? []), ...found]));
}

/** Whether a text anywhere in the value is the id. */
function names(value: unknown, id: string): boolean {
  if (typeof value !== 'object' || value === null) return value === id;
  return Object.values(value).some((each) => names(each, id));
}

interface RefetchScope {
  queryClient: QueryClient;
  organizationId: string | undefined;
}

function listOf(query: Query): List | undefined {
  return query.queryKey[1] === 'pages' ? (query.state.data as List | undefined) : undefined;
}

/** Whether the answer is about the thing: its input names no thing but the organization, or this one. */
function concerns(query: Query, id: string, organizationId: string | undefined): boolean {
  const input = query.queryKey[1] === 'pages' ? query.queryKey[2] : (query.queryKey[1] as { input?: unknown })?.input;
  const { path = {} } = (input ?? {}) as { path?: Record<string, unknown> };
  const named = Object.values(path).filter((value) => value !== organizationId);
  return named.length === 0 || named.some((value) => isIt(value, id));
}

/** The id of a workflow is that of its row, with its kind before. */
function isIt(value: unknown, id: string): boolean {
  return typeof value === 'string' && (value === id || value.endsWith(`/${id}`));
}

function idOf(query: Query): (item: unknown) => unknown {
  const given = query.meta?.idOf as ((item: unknown) => unknown) | undefined;
  return given ?? ((item) => (item as { id?: unknown }).id);
}

function pagesWith(query: Query, list: List, id: string): number[] | undefined {
  const of = idOf(query);
  const found = list.pages.flatMap(({ items }, number) => (items.some((item) => isIt(of(item), id)) ? [number] : []));
  return found.length > 0 ? found : pageOfNew(list);
}

/** The first page of a list that begins with the newest, the last one of a list that ends with it; undefined: of another order. */
function pageOfNew({ pages }: List): number[] | undefined {
  if (pages.length <= 1) return [0];
  const times = pages.flatMap(({ items }) => items.map(timeOf));
  if (times.some((time) => time === undefined)) return undefined;
  const known = times as number[];
  if (known.every((time, at) => at === 0 || time <= (known[at - 1] ?? time))) return [0];
  if (known.every((time, at) => at === 0 || time >= (known[at - 1] ?? time))) return [pages.length - 1];
  return undefined;
}

function timeOf(item: unknown): number | undefined {
  const { createdAt, at, startedAt } = item as Record<string, unknown>;
  const time = Date.parse(String(createdAt ?? at ?? startedAt));
  return Number.isNaN(time) ? undefined : time;
}

async function refetchPage(queryClient: QueryClient, query: Query, number: number): Promise<void> {
  const list = listOf(query);
  const ask = query.options.queryFn;
  if (list === undefined || typeof ask !== 'function') return;
  const pageParam = list.pageParams[number];
  const before = list.pages[number];
  try {
    const context = { client: queryClient, queryKey: query.queryKey, pageParam, meta: query.meta };
    const signal = new AbortController().signal;
    const answer = (await ask({ ...context, signal, direction: 'forward' } as Parameters<typeof ask>[0])) as Page;
    const page = before === undefined ? answer : withPushedOut(answer, before, idOf(query));
    const now = listOf(query);
    // Something else has fetched the list meanwhile.
    if (page === undefined || now === undefined || now.pages[number] !== before || query.state.fetchStatus !== 'idle') {
      return await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
    queryClient.setQueryData<List>(query.queryKey, { ...now, pages: now.pages.with(number, page) });
  } catch (error) {
    if (!isCancelledError(error)) await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
}

/**
 * A new item pushes the last one of a full page out, and the next page still begins behind it: it is kept. Undefined: the
 * page has nothing in common with the one before.
 */
export function withPushedOut(page: Page, before: Page, of: (item: unknown) => unknown): Page | undefined {
  if (page.nextCursor === undefined || before.nextCursor === undefined) return page;
  const there = new Set(page.items.map(of));
  const last = before.items.findLastIndex((item) => there.has(of(item)));
  if (last === -1) return before.items.length === 0 ? page : undefined;
  return { ...page, items: [...page.items, ...before.items.slice(last + 1)] };
}
