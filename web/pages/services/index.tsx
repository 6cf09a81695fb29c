import { createRoute } from '@tanstack/react-router';
import { buildStates } from '../../../domain/builds/states.ts';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { pageIn } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, flag, type Search } from '../../search.ts';
import { useEnvironment } from '../environments/use-environment.ts';
import { logSearch } from '../instances/log/log-search.ts';
import { useService } from './use-service.ts';

const service = createRoute({
  ...pageIn(organizationRoute, '/p/$project/e/$environment/s/$service', () => import('./service.tsx'), 'Service'),
  validateSearch: ({ changes }: Search) => ({ ...flag('changes', changes) }),
});
const serviceOverview = createRoute(
  pageIn(service, '/', () => import('./service-overview.tsx'), 'ServiceOverviewPage'),
);
const serviceDeployments = createRoute(
  pageIn(service, '/deployments', () => import('./service-deployments.tsx'), 'ServiceDeployments'),
);
const serviceBuilds = createRoute({
  ...pageIn(service, '/builds', () => import('../builds/list/build-list.tsx'), 'ServiceBuilds'),
  validateSearch: ({ status }: Search) => chosen('status', status, buildStates),
});
const serviceLogs = createRoute({
  ...pageIn(service, '/logs', () => import('../environments/environment-log.tsx'), 'ServiceLogs'),
  validateSearch: logSearch,
});
const serviceVariables = createRoute({
  ...pageIn(service, '/variables', () => import('./variables/service-variables.tsx'), 'ServiceVariables'),
  validateSearch: ({ make, import: importing, file }: Search) => ({
    ...flag('make', make),
    ...flag('import', importing),
    ...flag('file', file),
  }),
});
const serviceProcesses = createRoute({
  ...pageIn(service, '/processes', () => import('./processes/service-processes.tsx'), 'ServiceProcesses'),
  validateSearch: ({ make }: Search) => ({ ...flag('make', make) }),
});
const serviceSettings = createRoute(
  pageIn(service, '/settings', () => import('./service-settings.tsx'), 'ServiceSettings'),
);

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
