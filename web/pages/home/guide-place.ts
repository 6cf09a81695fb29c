import { useSyncExternalStore } from 'react';

/** Whether somebody has put the first steps of an organization away, or called them back. */
type Wish = 'away' | 'shown' | undefined;

const listeners = new Set<() => void>();
/** Where storage is closed, it holds for this page. */
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
