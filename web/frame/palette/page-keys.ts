import { useEffect, useRef } from 'react';

/** So long a letter belongs to the `g` before it. */
export const sequenceMillis = 1_200;

/** Keys of one page, by `KeyboardEvent.key`: not while something is typed, a dialog is open, or behind `g`. */
export function usePageKeys(keys: Readonly<Record<string, (() => void) | undefined>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let going = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isBusy(event.target)) return;
      const follows = Date.now() - going < sequenceMillis;
      going = event.key === 'g' ? Date.now() : 0;
      const act = follows ? undefined : latest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}

/** Whether keys belong to what has the focus, or lies above the page. */
export function isBusy(target: EventTarget | null): boolean {
  return (
    isDialogOpen() ||
    (target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)))
  );
}
