import { ServerIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search, text } from '../../search.ts';

const clusters = createRoute({
  ...pageIn(organizationRoute, '/clusters', () => import('./cluster-list.tsx'), 'ClusterList'),
  validateSearch: ({ add, q }: Search) => ({ ...flag('add', add), ...text('q', q) }),
});
const cluster = createRoute({
  ...pageIn(organizationRoute, '/clusters/$cluster', () => import('./cluster.tsx'), 'Cluster'),
  validateSearch: ({ join }: Search) => ({ ...flag('join', join) }),
});
const clusterOverview = createRoute(pageIn(cluster, '/', () => import('./cluster-overview.tsx'), 'ClusterOverview'));
const clusterInstances = createRoute(
  pageIn(cluster, '/instances', () => import('../instances/cluster-instances.tsx'), 'ClusterInstances'),
);
const clusterEvents = createRoute(
  pageIn(cluster, '/events', () => import('../events/cluster-events.tsx'), 'ClusterEvents'),
);
const clusterAgent = createRoute(
  pageIn(cluster, '/agent', () => import('../agents/cluster-agent.tsx'), 'ClusterAgent'),
);

export const routes = [
  clusters,
  cluster.addChildren([clusterOverview, clusterInstances, clusterEvents, clusterAgent]),
] as const;

export const place: NavigationEntry = {
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
