import { useEffect, useId, useRef } from 'react';

/** Something that the page in sight offers as a button or in a menu. */
export interface Offer {
  label: string;
  run: () => void;
}

const offers = new Map<string, readonly Offer[]>();

/** Has the palette offer the same as long as this is on the page. */
export function useOffers(given: readonly Offer[]): void {
  const id = useId();
  const latest = useRef(given);
  latest.current = given;
  const labels = given.map(({ label }) => label).join('\n');
  useEffect(() => {
    const lasting = labels.split('\n').map((label, index) => ({ label, run: () => latest.current[index]?.run() }));
    if (labels !== '') offers.set(id, lasting);
    return () => void offers.delete(id);
  }, [id, labels]);
}

/** In the order of the page. Of several that are called the same nobody could tell which is meant. */
export function offersHere(): readonly Offer[] {
  const all = [...offers.values()].flat();
  return all.filter(({ label }) => all.filter((other) => other.label === label).length === 1);
}
