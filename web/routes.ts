import { createRoute, redirect } from '@tanstack/react-router';
import { personPlane } from './control-plane/plane.ts';
import { sessionQuery } from './control-plane/session.ts';
import { lastOrganization } from './frame/last-organization.ts';
import { page } from './frame/page-file.ts';
import { personRoute } from './frame/person-frame.tsx';
import { organizationRoute, rootRoute } from './frame/routes.ts';
import { chosen, flag, type Search, text } from './search.ts';

const inOrganization = () => organizationRoute;
const ofPerson = () => personRoute;

const home = createRoute({
  getParentRoute: inOrganization,
  path: '/',
  component: page(() => import('./pages/home/home.tsx'), 'Home'),
});

const clusters = createRoute({
  getParentRoute: inOrganization,
  path: '/clusters',
  validateSearch: ({ add }: Search) => ({ ...flag('add', add) }),
  component: page(() => import('./pages/clusters/cluster-list.tsx'), 'ClusterList'),
});
const cluster = createRoute({
  getParentRoute: inOrganization,
  path: '/clusters/$cluster',
  validateSearch: ({ join }: Search) => ({ ...flag('join', join) }),
  component: page(() => import('./pages/clusters/cluster.tsx'), 'Cluster'),
});
const ofCluster = () => cluster;
const clusterOverview = createRoute({
  getParentRoute: ofCluster,
  path: '/',
  component: page(() => import('./pages/clusters/cluster-overview.tsx'), 'ClusterOverview'),
});
const clusterInstances = createRoute({
  getParentRoute: ofCluster,
  path: '/instances',
  component: page(() => import('./pages/instances/cluster-instances.tsx'), 'ClusterInstances'),
});
const clusterEvents = createRoute({
  getParentRoute: ofCluster,
  path: '/events',
  component: page(() => import('./pages/clusters/cluster-events.tsx'), 'ClusterEvents'),
});
const clusterAgent = createRoute({
  getParentRoute: ofCluster,
  path: '/agent',
  component: page(() => import('./pages/agents/cluster-agent.tsx'), 'ClusterAgent'),
});
const instance = createRoute({
  getParentRoute: inOrganization,
  path: '/clusters/$cluster/instances/$instance',
  validateSearch: ({ find }: Search) => ({ ...text('find', find) }),
  component: page(() => import('./pages/instances/instance.tsx'), 'Instance'),
});

const operations = createRoute({
  getParentRoute: inOrganization,
  path: '/operations',
  validateSearch: ({ kind, state, stuck }: Search) => ({
    ...text('kind', kind),
    ...chosen('state', state, ['open', 'over']),
    ...flag('stuck', stuck),
  }),
  component: page(() => import('./pages/workflows/workflow-list.tsx'), 'OperationList'),
});
const operation = createRoute({
  getParentRoute: inOrganization,
  path: '/operations/$operation',
  validateSearch: ({ order, raw }: Search) => ({ ...chosen('order', order, ['newest']), ...flag('raw', raw) }),
  component: page(() => import('./pages/workflows/workflow.tsx'), 'Operation'),
});

const members = createRoute({
  getParentRoute: inOrganization,
  path: '/members',
  validateSearch: ({ show, accepted, invite }: Search) => ({
    ...chosen('show', show, ['invitations']),
    ...flag('accepted', accepted),
    ...flag('invite', invite),
  }),
  component: page(() => import('./pages/members/members.tsx'), 'Members'),
});
const teams = createRoute({
  getParentRoute: inOrganization,
  path: '/teams',
  validateSearch: ({ make }: Search) => ({ ...flag('make', make) }),
  component: page(() => import('./pages/teams/teams.tsx'), 'Teams'),
});
const tokens = createRoute({
  getParentRoute: inOrganization,
  path: '/tokens',
  validateSearch: ({ over, make }: Search) => ({ ...flag('over', over), ...flag('make', make) }),
  component: page(() => import('./pages/api-tokens/tokens.tsx'), 'Tokens'),
});
const ci = createRoute({
  getParentRoute: inOrganization,
  path: '/ci',
  validateSearch: ({ add }: Search) => ({ ...flag('add', add) }),
  component: page(() => import('./pages/trusted-issuers/ci-jobs.tsx'), 'CiJobs'),
});
const auditLog = createRoute({
  getParentRoute: inOrganization,
  path: '/audit-log',
  validateSearch: (search: Search) => ({
    ...text('action', search.action),
    ...text('actor', search.actor),
    ...text('subject', search.subject),
    ...text('from', search.from),
    ...text('to', search.to),
  }),
  component: page(() => import('./pages/audit-log/audit-log.tsx'), 'AuditLog'),
});
const settings = createRoute({
  getParentRoute: inOrganization,
  path: '/settings',
  component: page(() => import('./pages/settings/settings.tsx'), 'Settings'),
});

/** Entry of the console: the last opened organization, the first one, or the form that creates one. */
const start = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    const { organizations } = await personPlane.queryClient.ensureQueryData(sessionQuery);
    const last = lastOrganization();
    const one = organizations.find(({ slug }) => slug === last) ?? organizations[0];
    if (one === undefined) throw redirect({ to: '/new-organization', replace: true });
    throw redirect({ to: '/o/$organization', params: { organization: one.slug }, replace: true });
  },
});
const account = createRoute({
  getParentRoute: ofPerson,
  path: '/account',
  component: page(() => import('./pages/account/account.tsx'), 'Account'),
});
const newOrganization = createRoute({
  getParentRoute: ofPerson,
  path: '/new-organization',
  component: page(() => import('./pages/account/new-organization.tsx'), 'NewOrganization'),
});
const deletedOrganizations = createRoute({
  getParentRoute: ofPerson,
  path: '/deleted-organizations',
  component: page(() => import('./pages/account/deleted-organizations.tsx'), 'DeletedOrganizations'),
});

export const organizationPages = [
  home,
  clusters,
  cluster.addChildren([clusterOverview, clusterInstances, clusterEvents, clusterAgent]),
  instance,
  operations,
  operation,
  members,
  teams,
  tokens,
  ci,
  auditLog,
  settings,
] as const;

export const personPages = [start, personRoute.addChildren([account, newOrganization, deletedOrganizations])] as const;
