import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useRouteContext, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { mayActAs } from '../../domain/roles.ts';
import { Card, Page } from '../components/page.tsx';
import { NoPermission } from '../components/states.tsx';
import { PlaneContext } from '../control-plane/plane.ts';
import { type OwnMembership, useSession } from '../control-plane/session.ts';
import { useLive } from '../live/use-live.ts';
import { NotThere } from './fallbacks/not-there.tsx';
import { placeOf, places } from './places.ts';
import { Breadcrumb } from './scopes/breadcrumb.tsx';
import { ScopeNavigation } from './scopes/scope-navigation.tsx';
import { Shell } from './shell.tsx';
import { Sidebar } from './sidebar.tsx';

/** The frame around every page of an organization: navigation, and data that stays current. */
export function OrganizationFrame() {
  const { plane } = useRouteContext({ from: '/$organization' });
  const membership = useSession()?.organizations.find(({ id }) => id === plane.organizationId);
  useLive(plane, membership !== undefined);
  const role = membership?.role;
  const shownTo = useRef({ plane, role });
  useEffect(() => {
    const before = shownTo.current;
    shownTo.current = { plane, role };
    // The cache may hold data that the new role may not see.
    if (before.plane === plane && before.role !== role) void plane.queryClient.resetQueries();
  }, [plane, role]);
  return (
    <PlaneContext value={plane}>
      <QueryClientProvider client={plane.queryClient}>
        {/* The key drops half-typed input, so that it is never sent to another organization. */}
        <Shell key={plane.organizationId} sidebar={membership !== undefined && <Sidebar />} top={<Breadcrumb />}>
          <ScopeNavigation />
          {membership !== undefined && places.map(({ to, along: Along }) => Along && <Along key={to} />)}
          {membership === undefined ? <NotThere /> : <Allowed role={membership.role} />}
        </Shell>
      </QueryClientProvider>
    </PlaneContext>
  );
}

/** The page, if the role allows it. Roles can change while it is open. */
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
