import { useEffect } from 'react';
import { Toast } from './toast.tsx';
import { undoLast, useAnnouncements, useToasts } from './told.ts';
import { isUndo } from './undo-key.ts';

/**
 * The live regions of the console, rendered from the start, since screen readers announce only what is added to a region
 * that they know. Modal dialogs leave regions with `aria-live` readable.
 */
function Announcer() {
  const said = useAnnouncements();
  const lines = (wanted: boolean) =>
    said.filter(({ assertive }) => assertive === wanted).map(({ id, text }) => <p key={id}>{text}</p>);
  return (
    <>
      <output aria-live="polite" aria-atomic="false" className="sr-only">
        {lines(false)}
      </output>
      <div role="alert" aria-live="assertive" aria-atomic="false" className="sr-only">
        {lines(true)}
      </div>
    </>
  );
}

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
