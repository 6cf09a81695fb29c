import { useEffect, useRef } from 'react';
import type { Pages } from '../../control-plane/pages.ts';
import { Button } from '../forms/button.tsx';
import type { Order } from './column.ts';

/** The end of what is loaded: more comes by itself when it is scrolled into view, and by a button. */
export function End<Item>({ pages }: { pages: Pages<Item> }) {
  const place = useRef<HTMLDivElement>(null);
  const { loadMore, query } = pages;
  const latest = useRef(loadMore);
  // A page that failed is asked for again by the button alone.
  latest.current = query.isFetchNextPageError ? undefined : loadMore;
  const more = loadMore !== undefined || query.isFetchingNextPage;
  useEffect(() => {
    const end = place.current;
    if (!more || end === null) return;
    let scrolled = false;
    // The list itself moves the end at first; only people scroll to it.
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting === true && scrolled && latest.current?.(),
      { rootMargin: '400px' },
    );
    const look = () => {
      scrolled = true;
      observer.unobserve(end);
      observer.observe(end);
    };
    document.addEventListener('scroll', look, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('scroll', look, { capture: true });
    };
  }, [more]);
  if (!more) return null;
  return (
    <div ref={place} className="flex justify-center border-line border-t p-2">
      <Button look="quiet" small busy={query.isFetchingNextPage} onClick={loadMore}>
        Show more
      </Button>
    </div>
  );
}

/** A list that is not whole is not sorted in silence. */
export function PartlySorted<Item>({ pages, order }: { pages: Pages<Item>; order: Order | undefined }) {
  const { items, loadMore, query } = pages;
  if (order === undefined || (loadMore === undefined && !query.isFetchingNextPage)) return null;
  return (
    <p role="status" className="border-line border-b bg-ground px-4 py-2 text-soft text-sm">
      Only the {items?.length} loaded rows are sorted by {order.label.toLowerCase()}; there are more.
    </p>
  );
}
