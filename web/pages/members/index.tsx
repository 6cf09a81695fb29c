import { PersonIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { roles } from '../../../domain/roles.ts';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, holding, one } from '../../live/affected.ts';
import { chosen, flag, type Search, text } from '../../search.ts';

const members = createRoute({
  ...pageIn(organizationRoute, '/members', () => import('./members.tsx'), 'Members'),
  validateSearch: ({ show, accepted, invite, q, role, mfa }: Search) => ({
    ...chosen('show', show, ['invitations']),
    ...flag('accepted', accepted),
    ...flag('invite', invite),
    ...text('q', q),
    ...chosen('role', role, roles),
    ...chosen('mfa', mfa, ['on', 'off']),
  }),
});

export const routes = [members] as const;

export const place: NavigationEntry = {
  label: 'Members',
  to: '/$organization/members',
  icon: <PersonIcon />,
  key: 'm',
  also: 'people roles invitations',
};

export const affected: Affected<'member'> = {
  member: (trpc, id) => [one(trpc.members, id), holding(trpc.teams, id), all(trpc.invitations), all(trpc.approvals)],
};
