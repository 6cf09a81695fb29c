import { createRoute } from '@tanstack/react-router';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { pageIn } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { nameOf, type Scope } from '../../frame/scopes/scope.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, flag, type Search, text } from '../../search.ts';
import { logSearch } from '../instances/log/log-search.ts';
import { useProject } from '../projects/use-project.ts';
import { useEnvironment } from './use-environment.ts';

const environment = createRoute({
  ...pageIn(organizationRoute, '/p/$project/e/$environment', () => import('./environment.tsx'), 'Environment'),
  validateSearch: ({ add, changes }: Search) => ({ ...flag('add', add), ...flag('changes', changes) }),
});
const environmentServices = createRoute({
  ...pageIn(environment, '/', () => import('./environment-services.tsx'), 'EnvironmentServices'),
  // The table, or the canvas with the service whose panel is open.
  validateSearch: ({ view, open }: Search) => ({ ...chosen('view', view, ['canvas']), ...text('open', open) }),
});

const environmentDeployments = createRoute(
  pageIn(environment, '/deployments', () => import('./environment-deployments.tsx'), 'EnvironmentDeployments'),
);
const environmentLogs = createRoute({
  ...pageIn(environment, '/logs', () => import('./environment-log.tsx'), 'EnvironmentLogs'),
  validateSearch: logSearch,
});
const environmentVariables = createRoute({
  ...pageIn(environment, '/variables', () => import('./variables/variable-list.tsx'), 'EnvironmentVariables'),
  validateSearch: ({ make, import: importing }: Search) => ({ ...flag('make', make), ...flag('import', importing) }),
});
const environmentComparison = createRoute({
  ...pageIn(environment, '/compare', () => import('./environment-comparison.tsx'), 'EnvironmentComparison'),
  validateSearch: (search: Search) => ({ ...text('with', search.with) }),
});
const environmentSettings = createRoute(
  pageIn(environment, '/settings', () => import('./environment-settings.tsx'), 'EnvironmentSettings'),
);

export const routes = [
  environment.addChildren([
    environmentServices,
    environmentDeployments,
    environmentLogs,
    environmentVariables,
    environmentComparison,
    environmentSettings,
  ]),
] as const;

const at = '/$organization/p/$project/e/$environment';

export const scope: Scope = {
  path: at,
  noun: 'Environment',
  nouns: 'Environments',
  useName: () => nameOf(useEnvironment(), ({ name }) => name),
  useSiblings: () => {
    const { data } = useProject();
    const { items } = useList(usePlane().trpc.environments.list, { path: { id: data?.id ?? '' } }, data !== undefined);
    return {
      items: items?.map(({ slug, name, production }) => ({
        ...{ value: slug, label: name },
        detail: production ? 'production' : undefined,
      })),
    };
  },
  navigation: [
    { label: 'Services', to: at },
    { label: 'Deployments', to: `${at}/deployments` },
    { label: 'Logs', to: `${at}/logs` },
    { label: 'Variables', to: `${at}/variables` },
    { label: 'Compare', to: `${at}/compare` },
    { label: 'Settings', to: `${at}/settings` },
  ],
};

export const affected: Affected<'environment' | 'change_set'> = {
  // Lists of environments name their project.
  environment: (trpc) => [all(trpc.environments)],
  // Hints of change sets name their environment.
  change_set: (trpc, id) => [
    one(trpc.changeSets, id),
    one(trpc.variables, id),
    one(trpc.environments, id),
    // With the settings that are wanted in an environment.
    all(trpc.services),
    all(trpc.processes),
    all(trpc.volumes),
  ],
};
