import { createRouter } from '@tanstack/react-router';
import { personPlane } from './control-plane/plane.ts';
import { sessionQuery } from './control-plane/session.ts';
import { Nowhere } from './frame/fallbacks/not-there.tsx';
import { PageFailed, PageLoading } from './frame/fallbacks/page-failed.tsx';
import { personRoute } from './frame/person-frame.tsx';
import { organizationRoute, rootRoute } from './frame/routes.ts';
import { startRoute } from './start-route.ts';
import { organizationPages, personPages } from './subjects.ts';

/** Every page with its address. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    organizationRoute.addChildren(organizationPages),
    startRoute,
    personRoute.addChildren(personPages),
  ]),
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // The frame does not wait for the file of its page: on a slow line it is the first thing to read.
  defaultPendingMs: 50,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: Nowhere,
  scrollRestoration: true,
});

/** Session and page files are requested in parallel at start. */
export function startLoading(path: string): void {
  void personPlane.queryClient.prefetchQuery(sessionQuery);
  // The root redirects to an organization.
  const [matchedRoutes] = router.getMatchedRoutes(path === '/' ? '/first' : path);
  for (const route of matchedRoutes) void router.loadRouteChunk(route);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
