import { ArrowLeftIcon } from '@primer/octicons-react';
import { createRoute, Link, Outlet } from '@tanstack/react-router';
import { personPlane } from '../control-plane/plane.ts';
import { type OwnMembership, sessionQuery, useSession } from '../control-plane/session.ts';
import { lastOrganization } from './last-organization.ts';
import { PersonMenu } from './menus/person-menu.tsx';
import { rootRoute } from './routes.ts';
import { Shell } from './shell.tsx';
import { ZoneName } from './zone-name.tsx';

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
    <Shell sidebar={false} top={<PersonTop back={back} />}>
      <Outlet />
    </Shell>
  );
}

function PersonTop({ back }: { back: OwnMembership | undefined }) {
  return (
    <>
      <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1 items-center gap-1 text-base">
        {back === undefined ? (
          <span className="px-1.5 font-semibold">Ballast</span>
        ) : (
          <Link
            to="/$organization"
            params={{ organization: back.slug }}
            className="inline-flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-soft hover:text-text max-lg:h-11"
          >
            <ArrowLeftIcon />
            <span className="truncate">{back.name}</span>
          </Link>
        )}
        <span aria-hidden="true" className="text-faint">
          /
        </span>
        <Link
          to="/account"
          activeOptions={{ exact: true }}
          className="inline-flex h-8 items-center whitespace-nowrap rounded-md px-1.5 text-soft hover:text-text aria-[current=page]:text-text max-lg:h-11"
        >
          Your account
        </Link>
      </nav>
      <span className="max-sm:hidden">
        <ZoneName />
      </span>
      <span className="max-w-44">
        <PersonMenu />
      </span>
    </>
  );
}
