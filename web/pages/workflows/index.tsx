import { WorkflowIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { chosen, flag, type Search, text } from '../../search.ts';

const workflows = createRoute({
  ...pageIn(organizationRoute, '/workflows', () => import('./list/workflow-list.tsx'), 'WorkflowList'),
  validateSearch: ({ q, lives, view, kind, about, by, from, until }: Search) => ({
    ...chosen('lives', lives, ['for-ever']),
    ...chosen('view', view, ['running', 'failed-today', 'stuck']),
    ...text('q', q),
    ...text('kind', kind),
    ...text('about', about),
    ...text('by', by),
    ...text('from', from),
    ...text('until', until),
  }),
});
const workflow = createRoute({
  ...pageIn(organizationRoute, '/workflows/$workflow', () => import('./workflow.tsx'), 'Workflow'),
  validateSearch: ({ step, failures, q, order, raw }: Search) => ({
    ...text('step', step),
    ...flag('failures', failures),
    ...text('q', q),
    ...chosen('order', order, ['newest', 'oldest']),
    ...flag('raw', raw),
  }),
});

export const routes = [workflows, workflow] as const;

export const place: NavigationEntry = {
  label: 'Workflows',
  to: '/$organization/workflows',
  icon: <WorkflowIcon />,
  key: 'o',
  role: 'viewer',
  group: 'work',
  also: 'operations actors history stuck failed long-lived',
};
