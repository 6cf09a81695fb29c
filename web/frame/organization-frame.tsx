import { QueryClientProvider } from '@tanstack/react-query';
import { Link, Outlet, useRouteContext, useRouterState } from '@tanstack/react-router';
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
import type { Entry, Params } from './scopes/entry.ts';
import { EntryBadge } from './scopes/entry-badge.tsx';
import { entryOf, navigatedScope, type Scope, useWhere } from './scopes/scope.ts';
import { Shell } from './shell.tsx';
import { Sidebar } from './sidebar.tsx';

/** The pages of the innermost scope that has a navigation of its own, above the page. */
export function ScopeNavigation() {
  const { path, params } = useWhere();
  const scope = navigatedScope(path);
  return scope && <Pages key={scope.path} scope={scope} params={params} path={path} />;
}

function Pages({ scope, params, path }: { scope: Scope; params: Params; path: string }) {
  const name = scope.useName(params);
  if (name === null) return null;
  const shown = entryOf(scope, path);
  return (
    <nav
      aria-label={name === undefined ? scope.noun : `${scope.noun} ${name}`}
      className="flex gap-5 overflow-x-auto border-line border-b px-8 max-sm:px-4"
    >
      {scope.navigation?.map((entry) => (
        <EntryLink key={entry.to} entry={entry} params={params} shown={entry === shown} />
      ))}
    </nav>
  );
}

function EntryLink({ entry, params, shown }: { entry: Entry; params: Params; shown: boolean }) {
  return (
    <Link
      to={entry.to}
      params={params as never}
      // A page beneath marks it, too; the address alone would mark the first page on all others.
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={shown ? 'page' : undefined}
      className="-mb-px flex h-10 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 text-base text-soft hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text max-lg:h-11"
    >
      {entry.label}
      {entry.useBadge !== undefined && <EntryBadge useBadge={entry.useBadge} params={params} />}
    </Link>
  );
}

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
