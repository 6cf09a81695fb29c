import { createRoute } from '@tanstack/react-router';
import { buildStates } from '../../../domain/builds/states.ts';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { page } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, flag, type Search } from '../../search.ts';
import { useEnvironment } from '../environments/use-environment.ts';
import { logSearch } from '../instances/log/log-search.ts';
import { useService } from './use-service.ts';

const service = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/p/$project/e/$environment/s/$service',
  validateSearch: ({ changes }: Search) => ({ ...flag('changes', changes) }),
  component: page(() => import('./service.tsx'), 'Service'),
});
const serviceOverview = createRoute({
  getParentRoute: () => service,
  path: '/',
  component: page(() => import('./service-overview.tsx'), 'ServiceOverviewPage'),
});
const serviceDeployments = createRoute({
  getParentRoute: () => service,
  path: '/deployments',
  component: page(() => import('./service-deployments.tsx'), 'ServiceDeployments'),
});
const serviceBuilds = createRoute({
  getParentRoute: () => service,
  path: '/builds',
  validateSearch: ({ status }: Search) => chosen('status', status, buildStates),
  component: page(() => import('../builds/list/build-list.tsx'), 'ServiceBuilds'),
});
const serviceLogs = createRoute({
  getParentRoute: () => service,
  path: '/logs',
  validateSearch: logSearch,
  component: page(() => import('../environments/environment-log.tsx'), 'ServiceLogs'),
});
const serviceVariables = createRoute({
  getParentRoute: () => service,
  path: '/variables',
  validateSearch: ({ make, import: importing, file }: Search) => ({
    ...flag('make', make),
    ...flag('import', importing),
    ...flag('file', file),
  }),
  component: page(() => import('./variables/service-variables.tsx'), 'ServiceVariables'),
});
const serviceProcesses = createRoute({
  getParentRoute: () => service,
  path: '/processes',
  validateSearch: ({ make }: Search) => ({ ...flag('make', make) }),
  component: page(() => import('./processes/service-processes.tsx'), 'ServiceProcesses'),
});
const serviceSettings = createRoute({
  getParentRoute: () => service,
  path: '/settings',
  component: page(() => import('./service-settings.tsx'), 'ServiceSettings'),
});

export const routes = [
  service.addChildren([
    serviceOverview,
    serviceDeployments,
    serviceBuilds,
    serviceLogs,
    serviceVariables,
    serviceProcesses,
    serviceSettings,
  ]),
] as const;

const at = '/$organization/p/$project/e/$environment/s/$service';

export const scope: Scope = {
  path: at,
  noun: 'Service',
  nouns: 'Services',
  useName: () => nameOf(useService(), ({ service: { name } }) => name),
  useSiblings: () => {
    const { data } = useEnvironment();
    const options = { path: { id: data?.projectId ?? '' }, query: { environmentId: data?.id ?? '' } };
    const { items } = useList(usePlane().trpc.services.list, options, data !== undefined);
    return { items: items?.map(({ slug, name }) => ({ value: slug, label: name })) };
  },
  navigation: [
    { label: 'Overview', to: at },
    { label: 'Deployments', to: `${at}/deployments` },
    { label: 'Builds', to: `${at}/builds` },
    { label: 'Logs', to: `${at}/logs` },
    { label: 'Variables', to: `${at}/variables` },
    { label: 'Processes', to: `${at}/processes` },
    { label: 'Settings', to: `${at}/settings` },
  ],
};

export const affected: Affected<'service'> = {
  service: (trpc, id) => [
    // Lists of services name their project.
    all(trpc.services),
    one(trpc.processes, id),
    all(trpc.volumes),
    all(trpc.environments.overview),
  ],
};
