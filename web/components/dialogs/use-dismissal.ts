import { useEffect, useMemo, useRef, useState } from 'react';

/** Whether a dialog may close, and the question that is asked before. `dirty`: as the caller knows it, if it does. */
export function useDismissal(open: boolean, onClose: () => void, dirty: boolean | undefined) {
  const [asking, setAsking] = useState(false);
  const typed = useRef(false);
  const now = useRef({ onClose, dirty });
  now.current = { onClose, dirty };
  useEffect(() => {
    if (open) return;
    typed.current = false;
    setAsking(false);
  }, [open]);
  const dismissal = useMemo(() => {
    const isDirty = () => now.current.dirty ?? typed.current;
    return {
      isDirty,
      dismiss: () => (isDirty() ? setAsking(true) : now.current.onClose()),
      setTyped: (next: boolean) => {
        typed.current = next;
      },
    };
  }, []);
  return { dismissal, asking, keep: () => setAsking(false), discard: () => now.current.onClose() };
}
