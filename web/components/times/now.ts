import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer updates all displayed times, every ten seconds. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (ticking === undefined) now = Date.now();
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

const current = (): number => now;

/** The current time, updated every ten seconds, for states that depend on the clock alone. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current, current);
}
