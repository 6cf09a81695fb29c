import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import { personRoute } from '../../frame/person-frame.tsx';
import { type Affected, all } from '../../live/affected.ts';

const account = createRoute(pageIn(personRoute, '/account', () => import('./account.tsx'), 'Account'));
const newOrganization = createRoute(
  pageIn(personRoute, '/new-organization', () => import('./new-organization.tsx'), 'NewOrganization'),
);
const deletedOrganizations = createRoute(
  pageIn(personRoute, '/deleted-organizations', () => import('./deleted-organizations.tsx'), 'DeletedOrganizations'),
);

export const personRoutes = [account, newOrganization, deletedOrganizations] as const;

export const affected: Affected<'deletion'> = {
  deletion: (trpc) => [all(trpc.organizations), all(trpc.deletions)],
};
