import { PeopleIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search, text } from '../../search.ts';

const teams = createRoute({
  ...pageIn(organizationRoute, '/teams', () => import('./teams.tsx'), 'Teams'),
  validateSearch: ({ make, q }: Search) => ({ ...flag('make', make), ...text('q', q) }),
});

export const routes = [teams] as const;

export const place: NavigationEntry = {
  label: 'Teams',
  to: '/$organization/teams',
  icon: <PeopleIcon />,
  key: 't',
  also: 'groups',
};

export const affected: Affected<'team'> = {
  team: (trpc, id) => [one(trpc.teams, id), all(trpc.members)],
};
