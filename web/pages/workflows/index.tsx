import { WorkflowIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { chosen, flag, type Search, text } from '../../search.ts';

const workflows = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/workflows',
  validateSearch: ({ kind, state, stuck }: Search) => ({
    ...text('kind', kind),
    ...chosen('state', state, ['open', 'over']),
    ...flag('stuck', stuck),
  }),
  component: page(() => import('./workflow-list.tsx'), 'WorkflowList'),
});
const workflow = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/workflows/$workflow',
  validateSearch: ({ order, raw }: Search) => ({ ...chosen('order', order, ['newest']), ...flag('raw', raw) }),
  component: page(() => import('./workflow.tsx'), 'Workflow'),
});

export const routes = [workflows, workflow] as const;

export const place: Place = {
  label: 'Workflows',
  to: '/$organization/workflows',
  icon: <WorkflowIcon />,
  key: 'o',
  role: 'viewer',
  group: 'work',
  also: 'operations actors history stuck',
};
