import { lazy, Suspense } from 'react';
import { file } from '../../../frame/page-file.ts';
import { useAllowed } from './allowed.ts';

const Watch = lazy(() => file(() => import('./watch.tsx')).then(({ Watch }) => ({ default: Watch })));

/** Beside every page of an organization, in browsers that were told to. */
export function WatchIfOn() {
  return (
    useAllowed() === 'on' && (
      <Suspense>
        <Watch />
      </Suspense>
    )
  );
}
