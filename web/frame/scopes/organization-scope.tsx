import { PlusIcon } from '@primer/octicons-react';
import { OrganizationMark } from '../../components/avatar.tsx';
import { type OwnMembership, useSession } from '../../control-plane/session.ts';
import type { Params } from './entry.ts';
import type { Scope } from './scope.ts';

function useOrganization({ organization }: Params): OwnMembership | undefined {
  return useSession()?.organizations.find(({ slug }) => slug === organization);
}

/** The outermost scope. Its navigation is the sidebar (`places.ts`). */
export const organizationScope: Scope = {
  path: '/$organization',
  noun: 'Organization',
  nouns: 'Organizations',
  useName: (params) => useOrganization(params)?.name ?? null,
  useMark: (params) => <OrganizationMark name={useOrganization(params)?.name ?? ''} />,
  useSiblings: () => ({
    items: useSession()?.organizations.map(({ slug, name, role }) => ({
      value: slug,
      label: name,
      lead: <OrganizationMark name={name} />,
      detail: role,
    })),
    ways: [
      { label: 'New organization', icon: <PlusIcon />, link: { to: '/new-organization' } },
      { label: 'Deleted organizations', link: { to: '/deleted-organizations' } },
    ],
  }),
};
