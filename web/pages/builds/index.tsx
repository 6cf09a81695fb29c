import { PackageIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { buildStates } from '../../../domain/builds/states.ts';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, type Search, text } from '../../search.ts';

const allBuilds = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/builds',
  validateSearch: ({ status }: Search) => chosen('status', status, buildStates),
  component: page(() => import('./list/build-list.tsx'), 'AllBuilds'),
});
const buildPlace = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/builds/$build',
  component: page(() => import('./build-place.tsx'), 'BuildPlace'),
});
const build = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/p/$project/e/$environment/s/$service/builds/$build',
  validateSearch: ({ find }: Search) => text('find', find),
  component: page(() => import('./build.tsx'), 'Build'),
});

export const routes = [allBuilds, buildPlace, build] as const;

export const place: Place = {
  label: 'Builds',
  to: '/$organization/builds',
  icon: <PackageIcon />,
  key: 'b',
  role: 'viewer',
  group: 'work',
  also: 'images commits branches dockerfile log failed queued running',
};

export const affected: Affected<'build'> = { build: (trpc, id) => [one(trpc.builds, id), all(trpc.why)] };
