import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { chosen, type Search } from '../../search.ts';
import { logSearch } from '../instances/log/log-search.ts';

const deploymentPlace = createRoute(
  pageIn(organizationRoute, '/deployments/$deployment', () => import('./deployment-place.tsx'), 'DeploymentPlace'),
);
const deployment = createRoute({
  ...pageIn(
    organizationRoute,
    '/p/$project/e/$environment/s/$service/deployments/$deployment',
    () => import('./deployment.tsx'),
    'Deployment',
  ),
  validateSearch: (search: Search) => ({
    ...chosen('show', search.show, ['changes', 'history', 'logs']),
    ...logSearch(search),
  }),
});

export const routes = [deploymentPlace, deployment] as const;

export const affected: Affected<'deployment'> = {
  // What runs in an environment follows from its deployments, and which release its instances are of.
  deployment: (trpc, id) => [
    one(trpc.deployments, id),
    all(trpc.why),
    // A build that brought nothing live is of no concern once something else does.
    all(trpc.builds.list),
    ...[all(trpc.deployments.perDay), all(trpc.deployments.stats), all(trpc.environments.overview)],
    all(trpc.workloads.instances),
  ],
};
