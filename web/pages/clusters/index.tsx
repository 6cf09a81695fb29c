import { ServerIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search, text } from '../../search.ts';
import { type About, after, change, type Deeds, list, said, why } from '../audit-log/deed.ts';
import { plainDeed, plainDeeds } from '../audit-log/plain-deeds.ts';

const clusters = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/clusters',
  validateSearch: ({ add, q }: Search) => ({ ...flag('add', add), ...text('q', q) }),
  component: page(() => import('./cluster-list.tsx'), 'ClusterList'),
});
const cluster = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/clusters/$cluster',
  validateSearch: ({ join }: Search) => ({ ...flag('join', join) }),
  component: page(() => import('./cluster.tsx'), 'Cluster'),
});
const clusterOverview = createRoute({
  getParentRoute: () => cluster,
  path: '/',
  component: page(() => import('./cluster-overview.tsx'), 'ClusterOverview'),
});
const clusterInstances = createRoute({
  getParentRoute: () => cluster,
  path: '/instances',
  component: page(() => import('../instances/cluster-instances.tsx'), 'ClusterInstances'),
});
const clusterEvents = createRoute({
  getParentRoute: () => cluster,
  path: '/events',
  component: page(() => import('../events/cluster-events.tsx'), 'ClusterEvents'),
});
const clusterAgent = createRoute({
  getParentRoute: () => cluster,
  path: '/agent',
  component: page(() => import('../agents/cluster-agent.tsx'), 'ClusterAgent'),
});

export const routes = [
  clusters,
  cluster.addChildren([clusterOverview, clusterInstances, clusterEvents, clusterAgent]),
] as const;

export const place: Place = {
  label: 'Clusters',
  to: '/$organization/clusters',
  icon: <ServerIcon />,
  key: 'c',
  group: 'work',
  also: 'machines nodes agents',
};

export const scope: Scope = {
  path: '/$organization/clusters/$cluster',
  noun: 'Cluster',
  nouns: 'Clusters',
  useName: ({ cluster = '' }) =>
    nameOf(useQuery(usePlane().trpc.clusters.get.queryOptions({ path: { id: cluster } })), ({ name }) => name),
  useSiblings: () => {
    const { data } = useQuery(usePlane().trpc.clusters.list.queryOptions({ query: { limit: 100 } }));
    return { items: data?.items.map(({ id, name, region }) => ({ value: id, label: name, detail: region })) };
  },
  navigation: [
    { label: 'Overview', to: '/$organization/clusters/$cluster' },
    { label: 'Instances', to: '/$organization/clusters/$cluster/instances' },
    { label: 'Events', to: '/$organization/clusters/$cluster/events' },
    { label: 'Agent', to: '/$organization/clusters/$cluster/agent' },
  ],
};

export const affected: Affected<'cluster'> = {
  cluster: (trpc, id) => [
    one(trpc.clusters, id),
    one(trpc.workloads, id),
    all(trpc.attention),
    // Health and runs of services are what its agent tells; both are asked by other ids.
    all(trpc.environments.overview),
    all(trpc.processes.runs),
  ],
};

function clusterChanges({ name, details }: About): string {
  const renamed = change(details, 'name');
  const region = change(details, 'region');
  const schedulable = change(details, 'schedulable');
  return (
    list([
      renamed && `renamed the cluster ${said(renamed.from)} to ${said(renamed.to)}`,
      region && `set the region of the cluster ${name} to ${said(region.to) || 'none'}`,
      schedulable &&
        (schedulable.to === true
          ? `let the cluster ${name} take new workloads`
          : `let the cluster ${name} take no new workloads`),
    ]) || `changed the cluster ${name}`
  );
}

export const deeds: Deeds<'cluster'> = {
  ...plainDeeds('cluster', 'the cluster'),
  'cluster.updated': { label: 'Changed', done: clusterChanges },
  'cluster.enrollment_token_created': plainDeed(
    'Join command created',
    'created a command that joins a machine to the cluster',
  ),
  'cluster.agent_enrolled': {
    label: 'Agent joined',
    done: ({ name, details }) =>
      `joined the cluster ${name}${after(' with the version ', details.version)}${details.replaced === true ? ' and replaced the previous agent' : ''}`,
  },
  'cluster.agent_revoked': plainDeed('Agent revoked', 'revoked the agent of the cluster'),
  'cluster.agent_update_requested': {
    label: 'Agent update requested',
    done: ({ name, details }) =>
      `requested the ${details.kind === 'rollback' ? 'rollback' : 'update'} of the agent of the cluster ${name}${after(' to ', details.to)}`,
  },
  'cluster.agent_update_cancelled': plainDeed(
    'Agent update cancelled',
    'cancelled the update of the agent of the cluster',
  ),
  'cluster.exec': {
    label: 'Program run',
    done: ({ name, details }) => `ran ${said(details.program) || 'a program'} in an instance on the cluster ${name}`,
  },
  'cluster.restart': {
    label: 'Workload restarted',
    done: ({ name, details }) =>
      `restarted ${said(details.workload) || 'a workload'}${after(', process ', details.process)}, on the cluster ${name}`,
  },
  'cluster.command_cancelled': plainDeed('Command cancelled', 'cancelled a command on the cluster'),
  'cluster.deletion_requested': plainDeed('Deletion requested', 'requested the deletion of the cluster'),
  'cluster.failed': {
    label: 'Failed',
    done: ({ name, details }) => `marked the cluster ${name} as failed${why(details)}`,
  },
};
