import { type Lists, type Pages, type PagesOptions, usePages, useWhole } from './pages.ts';
import { NotNamed } from './problem.ts';

/** A thing that is asked for, as `ThingPage` takes it. */
export interface Sought<Thing> {
  data: Thing | undefined;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
}

const nothing = new NotNamed('No such thing.');

/**
 * The thing of a list that an address names by its slug; the list is loaded until it is found. Without a slug, or with `when`
 * false, nothing is asked yet.
 */
export function useBySlug<Input, Thing extends { slug: string }>(
  operation: Lists<Input, Thing>,
  options: PagesOptions<Input, Thing>,
  slug: string | undefined,
  when = true,
): Sought<Thing> {
  const pages = useList(operation, options, when);
  const data = pages.items?.find((one) => one.slug === slug);
  useWhole(pages, data === undefined && slug !== undefined);
  const missing = slug !== undefined && data === undefined && pages.whole;
  const { isError, error, refetch } = pages.query;
  return { data, isError: isError || missing, error: missing ? nothing : error, refetch };
}

/** A list of at most so many at a time that it is mostly whole at once. */
export function useList<Input, Thing>(
  operation: Lists<Input, Thing>,
  options: PagesOptions<Input, Thing>,
  when = true,
): Pages<Thing> {
  const list = usePages as unknown as (operation: Lists<Input, Thing>, options: object) => Pages<Thing>;
  return list(operation, { ...options, query: { limit: 200, ...options.query }, when });
}
