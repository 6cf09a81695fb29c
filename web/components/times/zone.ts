import { useSyncExternalStore } from 'react';
import { type Times, timesIn } from './times.ts';

/** Every time in the console is in one zone: that of the browser, or UTC as the reader chooses. */
export type ZoneChoice = 'local' | 'utc';

const key = 'ballast.times';
const listeners = new Set<() => void>();
let chosen = kept();

function kept(): ZoneChoice {
  try {
    return localStorage.getItem(key) === 'utc' ? 'utc' : 'local';
  } catch {
    return 'local';
  }
}

export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function chooseZone(choice: ZoneChoice): void {
  try {
    if (choice === 'local') localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // Storage is blocked: the choice applies until the page is closed.
  }
  change(choice);
}

function change(choice: ZoneChoice): void {
  chosen = choice;
  for (const listener of listeners) listener();
}

/** Other tabs follow. */
const follow = (event: StorageEvent) => {
  if (event.key === key || event.key === null) change(kept());
};

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', follow);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', follow);
  };
}

const current = () => chosen;

export function useZoneChoice(): ZoneChoice {
  return useSyncExternalStore(subscribe, current, current);
}

/** Instants as text in the zone that the reader chose. */
export function useTimes(): Times {
  return timesIn(useZoneChoice() === 'utc' ? 'UTC' : localZone());
}
