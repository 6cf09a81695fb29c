import { useEffect, useState } from 'react';
import { Spinner } from '../components/loading.tsx';

/** A quiet notice that the page may be out of date. Delayed, since most interruptions are short. */
export function ConnectionNotice({ connected }: { connected: boolean }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (connected) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), 1_500);
    return () => clearTimeout(timer);
  }, [connected]);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-5 z-30 flex justify-center">
      {shown && (
        <span className="inline-flex items-center gap-2 rounded-full bg-raised px-3.5 py-1.5 text-soft text-sm shadow-raised">
          <Spinner />
          No connection; trying again. This page may be out of date.
        </span>
      )}
    </div>
  );
}
