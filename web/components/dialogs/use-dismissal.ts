import { useEffect, useMemo, useRef, useState } from 'react';
import { useLeaving } from './use-leaving.ts';

/** Whether a dialog may close, and the question that is asked before. `isDirty`: as the caller knows it, if it does. */
export function useDismissal(open: boolean, onClose: () => void, isDirty?: () => boolean) {
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
