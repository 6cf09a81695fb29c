import { type FocusEvent, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

const dialogs = '[role="dialog"], [role="alertdialog"], [role="menu"]';

/**
 * Keeps the focus in a table whose rows go: the next row has it then, or what is said of the empty list. `kept` is the row
 * that must stay rendered meanwhile.
 */
export function useFocusKept(ids: readonly string[], place: RefObject<HTMLElement | null>) {
  const last = useRef<{ id: string; index: number }>(undefined);
  const [kept, setKept] = useState<string>();

  const entered = useCallback(
    (id: string) => {
      last.current = { id, index: ids.indexOf(id) };
      setKept(id);
    },
    [ids],
  );
  const onFocus = useCallback(
    ({ target }: FocusEvent) => {
      const id = target.closest('[data-id]')?.getAttribute('data-id');
      if (id != null) entered(id);
    },
    [entered],
  );
  /** Focus went elsewhere on the page; into a dialog that the row opened it goes only for a while. */
  const onBlur = useCallback(({ relatedTarget, currentTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Element) || currentTarget.contains(relatedTarget)) return;
    if (relatedTarget.closest('main') === null) return;
    last.current = undefined;
    setKept(undefined);
  }, []);

  useLayoutEffect(() => {
    const before = last.current;
    if (before === undefined) return;
    const index = ids.indexOf(before.id);
    if (index >= 0) {
      last.current = { id: before.id, index };
      return;
    }
    const next = ids[Math.min(before.index, ids.length - 1)];
    last.current = next === undefined ? undefined : { id: next, index: ids.indexOf(next) };
    setKept(next);
    // No cancelling when the list changes again: the place is looked up at the end.
    whenFree(() => focusRow(place.current, last.current?.id));
  }, [ids, place]);

  return { kept, entered, onFocus, onBlur };
}

/** Focuses the button of a row's menu, or its link; without a row what stands in the place of the rows. */
export function focusRow(place: HTMLElement | null, id: string | undefined, menu = true): void {
  const row = id === undefined ? null : place?.querySelector(`[data-id="${CSS.escape(id)}"]`);
  const stop =
    (menu ? row?.querySelector<HTMLElement>('[data-menu]') : null) ?? row?.querySelector<HTMLElement>('[data-stop]');
  (stop ?? place?.querySelector<HTMLElement>('[data-empty]'))?.focus();
}

/** Calls back once no dialog is open and nothing has the focus: a dialog that closes wants to give it back first. */
function whenFree(then: () => void, quiet = 0): void {
  requestAnimationFrame(() => {
    if (document.querySelector(dialogs) !== null) return whenFree(then);
    if (quiet < 2) return whenFree(then, quiet + 1);
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) then();
  });
}
