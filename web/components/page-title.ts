import { useLayoutEffect } from 'react';
import { watched } from './watched.ts';

const shown = watched<string | undefined>(undefined);
export const usePageTitle = shown.use;

/** Names the browser's tab, and the end of the breadcrumb. */
export function useAsPageTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = `${title} · Ballast`;
    shown.set(title);
    return () => {
      if (shown.now() === title) shown.set(undefined);
    };
  }, [title]);
}
