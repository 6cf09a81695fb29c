import { AlertIcon, CheckIcon, XIcon } from '@primer/octicons-react';
import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { Copyable } from '../copyable.tsx';
import { Button } from '../forms/button.tsx';
import { WithTimes } from '../times/with-times.tsx';
import { dismiss, type Told } from './told.ts';
import { undoKeysShown } from './undo-key.ts';

/** One toast. Its time stands still while it is hovered or has the focus. */
export function Toast({ toast: { id, title, problem, undo, millis } }: { toast: Told }) {
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
