import { CheckIcon } from '@primer/octicons-react';
import { useSyncExternalStore } from 'react';
import { Spinner } from '../components/loading.tsx';
import { silence } from '../live/silence.ts';

const words = {
  offline: 'You are offline. This page may be out of date.',
  'change unanswered': 'Still sending your change; it takes effect once.',
  unanswered: 'Still waiting for the control plane…',
  'out of contact': 'Reconnecting; this page may be out of date.',
  'connected again': 'Connected again',
  answered: 'The control plane answered',
};

/** The one place that tells of silence, and of its end. Always rendered, so that screen readers announce it politely. */
export function ConnectionNotice() {
  const told = useSyncExternalStore(silence.subscribe, silence.told);
  const over = told === 'connected again' || told === 'answered';
  return (
    <div
      role="status"
      // Said expressly: an open dialog hides all else from screen readers, except what is live.
      aria-live="polite"
      aria-label="Connection"
      className="pointer-events-none fixed inset-x-0 bottom-5 z-60 flex justify-center px-4"
    >
      {told !== undefined && (
        <span className="appear inline-flex items-center gap-2 rounded-full bg-raised px-3.5 py-1.5 text-sm text-soft shadow-raised">
          {over ? <CheckIcon className="text-good" /> : <Spinner />}
          {words[told]}
        </span>
      )}
    </div>
  );
}
