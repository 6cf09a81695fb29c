import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { isShownByAddress } from './use-address-dialog.ts';

/** Whether a dialog may close, and the question that is asked before. `isDirty`: as the caller knows it, if it does. */
export function useDismissal(open: boolean, onClose: () => void, isDirty?: (() => boolean) | undefined) {
  const [asking, setAsking] = useState(false);
  const typed = useRef(false);
  const now = useRef({ onClose, isDirty });
  now.current = { onClose, isDirty };
  useEffect(() => {
    if (open) return;
    typed.current = false;
    setAsking(false);
  }, [open]);
  const dismissal = useMemo(() => {
    const isDirty = () => now.current.isDirty?.() ?? typed.current;
    return {
      isDirty,
      dismiss: () => (isDirty() ? setAsking(true) : now.current.onClose()),
      setTyped: (next: boolean) => {
        typed.current = next;
      },
    };
  }, []);
  const rules = useRef({ isDirty: dismissal.isDirty, ask: () => setAsking(true) });
  const leaving = useLeaving(open, rules);
  return {
    dismissal,
    asking,
    keep: () => {
      leaving.stay();
      setAsking(false);
    },
    discard: () => {
      // A dialog that its page's address shows is closed by leaving; any other one is told to.
      if (!leaving.proceed(() => now.current.onClose())) now.current.onClose();
    },
  };
}

/** Past every dialog: its person has answered, or nothing was typed. */
const unasked = { ignoreBlocker: true };

/**
 * Ways to another page while something is typed here: Back, links, shortcuts, closing the tab. They wait until `ask` was
 * answered. `proceed` goes where the person wanted to go, and is false if that was nowhere.
 */
function useLeaving(
  open: boolean,
  rules: RefObject<{ isDirty: () => boolean; ask: () => void }>,
): { stay: () => void; proceed: (gone: () => void) => boolean } {
  const { history } = useRouter();
  const waiting = useRef<() => void>(undefined);
  useEffect(() => {
    waiting.current = undefined;
    if (!open) return undefined;
    return history.block({
      enableBeforeUnload: () => rules.current.isDirty(),
      blockerFn: ({ currentLocation: here, nextLocation: next, action }) => {
        // A filter of the page itself, which leaves nothing.
        if (action === 'REPLACE' && next.pathname === here.pathname) return false;
        // Back is not to open the dialog again, over a page that was left.
        const replaces = action === 'REPLACE' || (action === 'PUSH' && isShownByAddress());
        const go = () => {
          if (replaces) history.replace(next.href, next.state, unasked);
          else if (action === 'PUSH') history.push(next.href, next.state, unasked);
          else history.go(next.state.__TSR_index - here.state.__TSR_index, unasked);
        };
        if (rules.current.isDirty()) {
          waiting.current = go;
          rules.current.ask();
          return true;
        }
        if (action !== 'PUSH' || !replaces) return false;
        go();
        return true;
      },
    });
  }, [open, history, rules]);
  return {
    stay: () => {
      waiting.current = undefined;
    },
    proceed: (gone) => {
      const go = waiting.current;
      waiting.current = undefined;
      if (go === undefined) return false;
      const stop = history.subscribe(() => {
        stop();
        gone();
      });
      go();
      return true;
    },
  };
}
