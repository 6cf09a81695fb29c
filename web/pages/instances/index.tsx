import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import type { Affected } from '../../live/affected.ts';
import { type Search, text } from '../../search.ts';
import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';

const instance = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/clusters/$cluster/instances/$instance',
  validateSearch: ({ find }: Search) => ({ ...text('find', find) }),
  component: page(() => import('./instance.tsx'), 'Instance'),
});

export const routes = [instance] as const;

export const affected: Affected<'workload' | 'cluster_command'> = {
  workload: (trpc) => [trpc.workloads.pathKey(), trpc.clusters.pathKey(), trpc.workflows.pathKey()],
  cluster_command: (trpc) => [trpc.clusterCommands.pathKey()],
};

export const kinds: Kinds<'workload'> = { workload: 'Workloads' };

export const deeds: Deeds<'workload'> = {
  'workload.applied': {
    label: 'Applied',
    done: ({ name, details }) =>
      `applied the workload ${name}${after(' in the release ', details.release)}${after(' on the cluster ', details.cluster)}`,
  },
  'workload.removed': {
    label: 'Removed',
    done: ({ name, details }) => `removed the workload ${name}${after(' from the cluster ', details.cluster)}`,
  },
};
