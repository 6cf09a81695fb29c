import { useRouterState } from '@tanstack/react-router';
import type { Params } from './entry.ts';
import { plainPath } from './scope.ts';

/** Path and parameters of the page that is shown, as the router has them. */
export function useWhere(): { path: string; params: Params } {
  const path = useRouterState({ select: ({ matches }) => plainPath(matches.at(-1)?.fullPath ?? '') });
  const params = useRouterState({
    select: ({ matches }): Params => ({ ...matches.at(-1)?.params }),
    structuralSharing: true,
  });
  return { path, params };
}
