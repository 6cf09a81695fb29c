import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import { personRoute } from '../../frame/person-frame.tsx';
import { type Affected, all } from '../../live/affected.ts';

const account = createRoute({
  getParentRoute: () => personRoute,
  path: '/account',
  component: page(() => import('./account.tsx'), 'Account'),
});
const newOrganization = createRoute({
  getParentRoute: () => personRoute,
  path: '/new-organization',
  component: page(() => import('./new-organization.tsx'), 'NewOrganization'),
});
const deletedOrganizations = createRoute({
  getParentRoute: () => personRoute,
  path: '/deleted-organizations',
  component: page(() => import('./deleted-organizations.tsx'), 'DeletedOrganizations'),
});

export const personRoutes = [account, newOrganization, deletedOrganizations] as const;

export const affected: Affected<'deletion'> = {
  deletion: (trpc) => [all(trpc.organizations), all(trpc.deletions)],
};
