import { createRoute, redirect } from '@tanstack/react-router';
import { personPlane } from './control-plane/plane.ts';
import { sessionQuery } from './control-plane/session.ts';
import { lastOrganization } from './frame/last-organization.ts';
import { rootRoute } from './frame/routes.ts';

/** Entry of the console: the last opened organization, the first one, or the form that creates one. */
export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    const { organizations } = await personPlane.queryClient.ensureQueryData(sessionQuery);
    const last = lastOrganization();
    const one = organizations.find(({ slug }) => slug === last) ?? organizations[0];
    if (one === undefined) throw redirect({ to: '/new-organization', replace: true });
    throw redirect({ to: '/$organization', params: { organization: one.slug }, replace: true });
  },
});
