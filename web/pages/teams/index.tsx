import { PeopleIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search } from '../../search.ts';
import { type About, after, count, type Deeds, type Kinds, list, said } from '../audit-log/deed.ts';

const teams = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/teams',
  validateSearch: ({ make }: Search) => ({ ...flag('make', make) }),
  component: page(() => import('./teams.tsx'), 'Teams'),
});

export const routes = [teams] as const;

export const place: Place = {
  label: 'Teams',
  to: '/$organization/teams',
  icon: <PeopleIcon />,
  key: 't',
  role: 'viewer',
  group: 'organization',
  also: 'groups',
};

export const affected: Affected<'team'> = {
  team: (trpc, id) => [one(trpc.teams, id), all(trpc.members)],
};

function teamMembers({ name, details: { added, removed } }: About): string {
  const some = (value: unknown) => Array.isArray(value) && value.length > 0;
  const changes = list([
    some(added) && `added ${count(added, 'member')}`,
    some(removed) && `removed ${count(removed, 'member')}`,
  ]);
  return changes === '' ? `did not change the members of the team ${name}` : `${changes} in the team ${name}`;
}

export const kinds: Kinds<'team'> = { team: 'Teams' };

export const deeds: Deeds<'team'> = {
  'team.created': { label: 'Created', done: ({ name }) => `created the team ${name}` },
  'team.renamed': {
    label: 'Renamed',
    done: ({ name, details }) => `renamed the team ${said(details.from) || name}${after(' to ', details.to)}`,
  },
  'team.members_set': { label: 'Members changed', done: teamMembers },
  'team.deleted': { label: 'Deleted', done: ({ name }) => `deleted the team ${name}` },
};
