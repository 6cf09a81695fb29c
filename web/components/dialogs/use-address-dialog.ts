import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The dialog that this entry of the browser's history was made for. */
    dialog?: string;
  }
}

/** Dialogs that the address of the page shows now. */
const shown = new Set<string>();

export function isShownByAddress(): boolean {
  return shown.size > 0;
}

export interface AddressDialog {
  open: boolean;
  show: () => void;
  close: () => void;
}

/**
 * A dialog whose being open stands in the address, as `?make=true`. Opening it adds an entry to the browser's history, and
 * closing it goes back over that entry: afterwards Back leads where it led before.
 */
export function useAddressDialog(name: string): AddressDialog {
  const router = useRouter();
  const navigate = useNavigate();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const open = search[name] === true;
  // Going back takes a moment, and a second press must not go back twice.
  const closing = useRef(false);
  useEffect(() => {
    if (!open) return undefined;
    closing.current = false;
    shown.add(name);
    return () => void shown.delete(name);
  }, [open, name]);
  const go = (show: boolean) =>
    void navigate({
      to: '.',
      search: ({ [name]: _, ...rest }: Record<string, unknown>) => (show ? { ...rest, [name]: true } : rest),
      replace: !show,
      resetScroll: false,
      // Closed on purpose: whoever typed something was asked before.
      ignoreBlocker: !show,
      ...(show ? { state: { dialog: name } } : {}),
    } as never);
  return {
    open,
    show: () => {
      if (!open) go(true);
    },
    close: () => {
      // The person may have left already by another way.
      const { search: now }: { search: Record<string, unknown> } = router.parseLocation(router.history.location);
      if (closing.current || now[name] !== true) return;
      closing.current = true;
      if (router.history.location.state.dialog === name) router.history.back({ ignoreBlocker: true });
      else go(false);
    },
  };
}
