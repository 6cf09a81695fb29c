import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useRouteContext, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { mayActAs } from '../../domain/roles.ts';
import { Card, Page } from '../components/page.tsx';
import { NoPermission } from '../components/states.tsx';
import { PlaneContext } from '../control-plane/plane.ts';
import { type OwnMembership, useSession } from '../control-plane/session.ts';
import { useLive } from '../live/use-live.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { NotThere } from './fallbacks.tsx';
import { placeOf } from './places.tsx';
import { Shell } from './shell.tsx';
import { Sidebar } from './sidebar.tsx';

/** Around every page of an organization: where one is, where one can go, and whether what is shown is true. */
export function OrganizationFrame() {
  const { plane } = useRouteContext({ from: '/o/$organization' });
  const membership = useSession()?.organizations.find(({ id }) => id === plane.organizationId);
  const { connected } = useLive(plane, membership !== undefined);
  const role = membership?.role;
  const shownTo = useRef({ plane, role });
  useEffect(() => {
    const before = shownTo.current;
    shownTo.current = { plane, role };
    // What another role was shown may be more than this one is.
    if (before.plane === plane && before.role !== role) void plane.queryClient.resetQueries();
  }, [plane, role]);
  return (
    <PlaneContext value={plane}>
      <QueryClientProvider client={plane.queryClient}>
        {/* A key: nothing that is half typed in one organization may be sent to another. */}
        <Shell key={plane.organizationId} sidebar={membership !== undefined && <Sidebar />}>
          <ConnectionNotice connected={connected} />
          {membership === undefined ? <NotThere /> : <Allowed role={membership.role} />}
        </Shell>
      </QueryClientProvider>
    </PlaneContext>
  );
}

/** The page, if the role suffices for it; it may change while it is shown. */
function Allowed({ role }: Pick<OwnMembership, 'role'>) {
  const place = placeOf(useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? '' }));
  if (place === undefined || mayActAs(role, place.role)) return <Outlet />;
  return (
    <Page title={place.label}>
      <Card>
        <NoPermission />
      </Card>
    </Page>
  );
}
