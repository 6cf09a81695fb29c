import { PackageIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { buildStates } from '../../../domain/builds/states.ts';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, type Search, text } from '../../search.ts';

const allBuilds = createRoute({
  ...pageIn(organizationRoute, '/builds', () => import('./list/build-list.tsx'), 'AllBuilds'),
  validateSearch: ({ status }: Search) => chosen('status', status, buildStates),
});
const buildPlace = createRoute(
  pageIn(organizationRoute, '/builds/$build', () => import('./build-place.tsx'), 'BuildPlace'),
);
const build = createRoute({
  ...pageIn(
    organizationRoute,
    '/p/$project/e/$environment/s/$service/builds/$build',
    () => import('./build.tsx'),
    'Build',
  ),
  validateSearch: ({ find }: Search) => text('find', find),
});

export const routes = [allBuilds, buildPlace, build] as const;

export const place: NavigationEntry = {
  label: 'Builds',
  to: '/$organization/builds',
  icon: <PackageIcon />,
  key: 'b',
  role: 'viewer',
  group: 'work',
  also: 'images commits branches dockerfile log failed queued running',
};

export const affected: Affected<'build'> = { build: (trpc, id) => [one(trpc.builds, id), all(trpc.why)] };
