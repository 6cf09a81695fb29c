import { useEffect } from 'react';
import type { Pages } from './pages.ts';

/** Loads a list to its end while `wanted`, so that a search among what is loaded misses nothing. */
export function useWhole<Item>({ loadMore, query }: Pages<Item>, wanted: boolean): void {
  useEffect(() => {
    if (wanted && !query.isFetchNextPageError) loadMore?.();
  }, [wanted, loadMore, query.isFetchNextPageError]);
}
