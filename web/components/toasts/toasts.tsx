import { AlertIcon, CheckIcon, XIcon } from '@primer/octicons-react';
import { Copyable } from '../copyable.tsx';
import { WithTimes } from '../times/with-times.tsx';
import { Announcer } from './announcer.tsx';
import { dismiss, useToasts } from './told.ts';

/** Toasts at the edge of the screen, and the live regions that say the same to screen readers. */
export function Toasts() {
  const toasts = useToasts();
  return (
    <>
      <Announcer />
      <section
        aria-label="Notices"
        className="fixed right-4 bottom-4 z-60 flex w-[22rem] max-w-[calc(100vw-2rem)] flex-col gap-2"
      >
        {toasts.map(({ id, title, problem }) => (
          <div key={id} className="appear flex items-start gap-2.5 rounded-lg bg-raised px-3.5 py-3 shadow-raised">
            <span aria-hidden="true" className={problem === undefined ? 'mt-px text-good' : 'mt-px text-fault'}>
              {problem === undefined ? <CheckIcon /> : <AlertIcon />}
            </span>
            <div className="min-w-0 flex-1 text-sm">
              <p className="font-medium">{title}</p>
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
    </>
  );
}
