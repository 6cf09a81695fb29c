import { createRootRoute, createRoute, notFound } from '@tanstack/react-router';
import { createPlane, type Plane, personPlane } from '../control-plane/plane.ts';
import { type OwnMembership, sessionQuery } from '../control-plane/session.ts';
import { rememberOrganization } from './last-organization.ts';
import { OrganizationFrame } from './organization-frame.tsx';

export const rootRoute = createRootRoute();

/** One plane per organization opened in this tab. */
const planes = new Map<string, Plane>();

/** Pages of one organization. Its slug is in the address, so that links can be shared. */
export const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$organization',
  beforeLoad: async ({ params }): Promise<{ plane: Plane; membership: OwnMembership }> => {
    const session = await personPlane.queryClient.ensureQueryData(sessionQuery);
    const membership = session.organizations.find(({ slug }) => slug === params.organization);
    if (membership === undefined) throw notFound();
    rememberOrganization(membership.slug);
    const plane = planes.get(membership.id) ?? createPlane(membership.id, session.position);
    planes.set(membership.id, plane);
    return { plane, membership };
  },
  component: OrganizationFrame,
});
