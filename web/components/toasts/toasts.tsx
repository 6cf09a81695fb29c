import { useEffect } from 'react';
import { Announcer } from './announcer.tsx';
import { Toast } from './toast.tsx';
import { undoLast, useToasts } from './told.ts';
import { isUndo } from './undo-key.ts';

/** Toasts at the edge of the screen, and the live regions that say the same to screen readers. */
export function Toasts() {
  const toasts = useToasts();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isUndo(event) && undoLast()) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Announcer />
      <section
        aria-label="Notices"
        className="fixed right-4 bottom-4 z-60 flex w-[22rem] max-w-[calc(100vw-2rem)] flex-col gap-2"
      >
        {toasts.map((toast) => (
          <Toast key={toast.id} toast={toast} />
        ))}
      </section>
    </>
  );
}
