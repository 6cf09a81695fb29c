import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let open = false;

function set(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}

export function openPalette(): void {
  set(true);
}

export function closePalette(): void {
  set(false);
}

export function isPaletteOpen(): boolean {
  return open;
}

export function usePaletteOpen(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isPaletteOpen);
}
