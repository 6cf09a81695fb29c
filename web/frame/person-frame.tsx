import { ArrowLeftIcon } from '@primer/octicons-react';
import { createRoute, Link, Outlet } from '@tanstack/react-router';
import { personPlane } from '../control-plane/plane.ts';
import { sessionQuery, useSession } from '../control-plane/session.ts';
import { lastOrganization } from './last-organization.ts';
import { rootRoute } from './routes.ts';
import { Shell } from './shell.tsx';

/** Around pages that belong to the person and to no organization. */
export const personRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'person',
  beforeLoad: () => personPlane.queryClient.ensureQueryData(sessionQuery).then(() => undefined),
  component: PersonFrame,
});

function PersonFrame() {
  const organizations = useSession()?.organizations ?? [];
  const last = lastOrganization();
  const back = organizations.find(({ slug }) => slug === last) ?? organizations[0];
  return (
    <Shell sidebar={false}>
      <div className="flex h-13 items-center justify-between border-line border-b px-8 max-sm:px-4">
        {back === undefined ? (
          <span className="font-semibold">Ballast</span>
        ) : (
          <Link
            to="/$organization"
            params={{ organization: back.slug }}
            className="inline-flex items-center gap-2 rounded-sm text-soft hover:text-text"
          >
            <ArrowLeftIcon />
            {back.name}
          </Link>
        )}
      </div>
      <Outlet />
    </Shell>
  );
}
