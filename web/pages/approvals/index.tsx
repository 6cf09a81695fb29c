import { ChecklistIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { createRoute } from '@tanstack/react-router';
import { usePlane } from '../../control-plane/plane.ts';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all } from '../../live/affected.ts';
import { chosen, type Search } from '../../search.ts';
import { pendingApprovals, waitingForMe } from './waiting.ts';

const approvals = createRoute({
  ...pageIn(organizationRoute, '/approvals', () => import('./inbox/inbox.tsx'), 'ApprovalInbox'),
  validateSearch: ({ show }: Search) => chosen('show', show, ['decided']),
});
const none = createRoute(pageIn(approvals, '/', () => import('./inbox/inbox.tsx'), 'NoneChosen'));
const approval = createRoute(pageIn(approvals, '/$approval', () => import('./approval.tsx'), 'Approval'));

export const routes = [approvals.addChildren([none, approval])] as const;

export const place: NavigationEntry = {
  label: 'Approvals',
  to: '/$organization/approvals',
  icon: <ChecklistIcon />,
  key: 'v',
  group: 'work',
  also: 'review production decide',
  useBadge: () => {
    const { data } = useQuery(pendingApprovals(usePlane().trpc));
    return data && { count: waitingForMe(data).length, tone: 'attention', label: 'waiting for you' };
  },
};

export const affected: Affected<'approval'> = { approval: (trpc) => [all(trpc.approvals)] };
