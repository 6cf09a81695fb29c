import { AlertIcon, CheckIcon, XIcon } from '@primer/octicons-react';
import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { Copyable } from '../copyable.tsx';
import { Button } from '../forms/button.tsx';
import { WithTimes } from '../times/with-times.tsx';
import { dismiss, type ToastContent, undoLast, useAnnouncements, useToasts } from './told.ts';
import { isUndo, undoKeysShown } from './undo-key.ts';

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

/** One toast. Its time stands still while it is hovered or has the focus. */
function Toast({ toast: { id, title, problem, undo, millis } }: { toast: ToastContent }) {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const before = useRef<Element>(null);
  const held = hovered || focused;
  useEffect(() => {
    if (held || millis === undefined) return;
    const timer = setTimeout(() => dismiss(id), millis);
    return () => clearTimeout(timer);
  }, [held, millis, id]);
  const leave = () => {
    dismiss(id);
    // The button goes with the toast: the focus returns to where it was, or to the heading.
    if (!focused) return;
    const place = before.current?.isConnected ? before.current : document.querySelector('main h1');
    if (place instanceof HTMLElement) place.focus();
  };
  const onFocus = ({ relatedTarget, currentTarget }: FocusEvent) => {
    setFocused(true);
    if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only stops the time
    <div
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
      onFocus={onFocus}
      onBlur={() => setFocused(false)}
      className="appear flex items-start gap-2.5 rounded-lg bg-raised px-3.5 py-3 shadow-raised"
    >
      <span aria-hidden="true" className={problem === undefined ? 'mt-px text-good' : 'mt-px text-fault'}>
        {problem === undefined ? <CheckIcon /> : <AlertIcon />}
      </span>
      <div className="min-w-0 flex-1 text-sm">
        <p className="break-words font-medium">{title}</p>
        {problem !== undefined && (
          <p className="text-pretty break-words text-soft">
            <WithTimes text={problem.detail} />
          </p>
        )}
        {problem?.requestId !== undefined && (
          <p className="mt-1 text-faint text-xs">
            Request <Copyable text={problem.requestId} label="request id" />
          </p>
        )}
      </div>
      {undo !== undefined && (
        <span className="-my-1">
          <Button
            small
            title={undoKeysShown}
            aria-label={`Undo: ${title}`}
            onClick={() => {
              leave();
              undo();
            }}
          >
            Undo
          </Button>
        </span>
      )}
      <button type="button" aria-label="Dismiss" onClick={leave} className="rounded-sm text-faint hover:text-text">
        <XIcon />
      </button>
    </div>
  );
}
