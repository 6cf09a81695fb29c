import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { logSearch } from './log/log-search.ts';

const instance = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/clusters/$cluster/instances/$instance',
  validateSearch: logSearch,
  component: page(() => import('./instance.tsx'), 'Instance'),
});

const workloadLog = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/clusters/$cluster/workloads/$workload/log',
  validateSearch: logSearch,
  component: page(() => import('./workload-log.tsx'), 'WorkloadLog'),
});

export const routes = [instance, workloadLog] as const;

export const affected: Affected<'workload' | 'cluster_command'> = {
  // Hints of workloads name their cluster.
  workload: (trpc, id) => [one(trpc.workloads, id), one(trpc.clusters, id), all(trpc.workflows), all(trpc.attention)],
  cluster_command: (trpc) => [all(trpc.clusterCommands)],
};
