import { HomeIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all } from '../../live/affected.ts';
import { runningClusters } from './running-clusters.ts';

const home = createRoute({
  ...pageIn(organizationRoute, '/', () => import('./home.tsx'), 'Home'),
  // Asked beside the file of the page.
  loader: ({ context: { plane } }) => void plane.queryClient.prefetchQuery(runningClusters(plane.trpc)),
});

export const routes = [home] as const;

export const affected: Affected<'guard'> = { guard: (trpc) => [all(trpc.attention)] };

export const place: NavigationEntry = {
  label: 'Home',
  to: '/$organization',
  icon: <HomeIcon />,
  key: 'h',
  role: 'viewer',
  group: 'work',
  also: 'start overview',
};
