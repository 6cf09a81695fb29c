import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The dialog that this entry of the browser's history was made for. */
    dialog?: string;
  }
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
    if (open) closing.current = false;
  }, [open]);
  const go = (shown: boolean) =>
    void navigate({
      to: '.',
      search: ({ [name]: _, ...rest }: Record<string, unknown>) => (shown ? { ...rest, [name]: true } : rest),
      replace: !shown,
      resetScroll: false,
      ...(shown ? { state: { dialog: name } } : {}),
    } as never);
  return {
    open,
    show: () => {
      if (!open) go(true);
    },
    close: () => {
      if (!open || closing.current) return;
      closing.current = true;
      if (router.history.location.state.dialog === name) router.history.back();
      else go(false);
    },
  };
}
