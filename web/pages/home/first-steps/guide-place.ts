import { useSyncExternalStore } from 'react';

/** Whether the first steps of an organization were dismissed, or shown again. */
type Wish = 'away' | 'shown' | undefined;

const listeners = new Set<() => void>();
/** Fallback for blocked storage: the choice lasts until the page is closed. */
const wishes = new Map<string, Wish>();

function keyOf(organizationId: string): string {
  return `ballast.first-steps.${organizationId}`;
}

function read(organizationId: string): Wish {
  if (wishes.has(organizationId)) return wishes.get(organizationId);
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(keyOf(organizationId));
  } catch {
    // Storage may be closed.
  }
  const wish = kept === 'away' || kept === 'shown' ? kept : undefined;
  wishes.set(organizationId, wish);
  return wish;
}

export function placeGuide(organizationId: string, wish: 'away' | 'shown'): void {
  wishes.set(organizationId, wish);
  try {
    localStorage.setItem(keyOf(organizationId), wish);
  } catch {
    // Storage may be closed.
  }
  for (const listener of listeners) listener();
}

export function useGuideWish(organizationId: string): Wish {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => read(organizationId),
  );
}
