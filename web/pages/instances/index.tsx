import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { logSearch } from './log/log-search.ts';

const instance = createRoute({
  ...pageIn(organizationRoute, '/clusters/$cluster/instances/$instance', () => import('./instance.tsx'), 'Instance'),
  validateSearch: logSearch,
});

const workloadLog = createRoute({
  ...pageIn(
    organizationRoute,
    '/clusters/$cluster/workloads/$workload/log',
    () => import('./workload-log.tsx'),
    'WorkloadLog',
  ),
  validateSearch: logSearch,
});

export const routes = [instance, workloadLog] as const;

export const affected: Affected<'workload' | 'cluster_command'> = {
  // Hints of workloads name their cluster.
  workload: (trpc, id) => [one(trpc.workloads, id), one(trpc.clusters, id), all(trpc.workflows), all(trpc.attention)],
  cluster_command: (trpc) => [all(trpc.clusterCommands)],
};
