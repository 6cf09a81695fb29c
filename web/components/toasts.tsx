import { AlertIcon, CheckIcon, XIcon } from '@primer/octicons-react';
import { useSyncExternalStore } from 'react';
import type { ShownProblem } from '../control-plane/problem.ts';
import { Copyable } from './copyable.tsx';

interface Told {
  id: number;
  title: string;
  /** Why it failed; absent where something was done. */
  problem?: ShownProblem;
}

const doneMillis = 4_000;
const most = 3;
const listeners = new Set<() => void>();
let shown: readonly Told[] = [];
let count = 0;

function show(next: readonly Told[]): void {
  shown = next.slice(-most);
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  show(shown.filter((told) => told.id !== id));
}

/** Confirms a change whose result the page itself does not show. */
export function tellDone(text: string): void {
  count += 1;
  const id = count;
  show([...shown, { id, title: text }]);
  setTimeout(() => dismiss(id), doneMillis);
}

/** Reports a failed change and its reason, until dismissed. */
export function tellFailure(what: string, problem: ShownProblem): void {
  count += 1;
  show([...shown, { id: count, title: what, problem }]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Always rendered, so that screen readers announce its additions. */
export function Toasts() {
  const told = useSyncExternalStore(subscribe, () => shown);
  return (
    <section
      aria-label="Notices"
      aria-live="polite"
      className="fixed right-4 bottom-4 z-60 flex w-[22rem] max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      {told.map(({ id, title, problem }) => (
        <div
          key={id}
          role={problem === undefined ? undefined : 'alert'}
          className="appear flex items-start gap-2.5 rounded-lg bg-raised px-3.5 py-3 shadow-raised"
        >
          <span aria-hidden="true" className={problem === undefined ? 'mt-px text-good' : 'mt-px text-fault'}>
            {problem === undefined ? <CheckIcon /> : <AlertIcon />}
          </span>
          <div className="min-w-0 flex-1 text-sm">
            <p className="font-medium">{title}</p>
            {problem !== undefined && <p className="text-pretty break-words text-soft">{problem.detail}</p>}
            {problem?.requestId !== undefined && (
              <p className="mt-1 text-faint text-xs">
                Request <Copyable text={problem.requestId} label="request id" />
              </p>
            )}
          </div>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
            className="rounded-sm text-faint hover:text-text"
          >
            <XIcon />
          </button>
        </div>
      ))}
    </section>
  );
}
