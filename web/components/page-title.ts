import { useLayoutEffect, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let shown: string | undefined;

function set(title: string | undefined): void {
  shown = title;
  for (const listener of listeners) listener();
}

/** Names the browser's tab, and the end of the breadcrumb. */
export function useAsPageTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = `${title} · Ballast`;
    set(title);
    return () => {
      if (shown === title) set(undefined);
    };
  }, [title]);
}

const current = () => shown;

export function usePageTitle(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current,
    current,
  );
}
