import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, one } from '../../live/affected.ts';
import { type Search, text } from '../../search.ts';
import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';

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

export const routes = [buildPlace, build] as const;

export const affected: Affected<'build'> = { build: (trpc, id) => [one(trpc.builds, id)] };

export const kinds: Kinds<'build'> = { build: 'Builds' };

export const deeds: Deeds<'build'> = {
  'build.requested': {
    label: 'Requested',
    done: ({ name, details }) => `requested the build ${name}${after(' for ', details.environment)}`,
  },
  'build.cancelled': { label: 'Cancelled', done: ({ name }) => `cancelled the build ${name}` },
};
