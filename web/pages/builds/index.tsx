import { PackageIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { buildStates } from '../../../domain/builds/states.ts';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, type Search, text } from '../../search.ts';
import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';
import { plainDeed } from '../audit-log/plain-deeds.ts';

const allBuilds = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/builds',
  validateSearch: ({ status }: Search) => chosen('status', status, buildStates),
  component: page(() => import('./list/all-builds.tsx'), 'AllBuilds'),
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

export const kinds: Kinds<'build'> = { build: 'Builds' };

export const deeds: Deeds<'build'> = {
  'build.requested': {
    label: 'Requested',
    done: ({ name, details }) => `requested the build ${name}${after(' for ', details.environment)}`,
  },
  'build.approved': plainDeed('Approved', 'approved the build'),
  'build.cancelled': plainDeed('Cancelled', 'cancelled the build'),
};
