import { LogIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Search, text } from '../../search.ts';

const auditLog = createRoute({
  ...pageIn(organizationRoute, '/audit-log', () => import('./audit-log.tsx'), 'AuditLog'),
  validateSearch: (search: Search) => ({
    ...text('action', search.action),
    ...text('actor', search.actor),
    ...text('subject', search.subject),
    ...text('from', search.from),
    ...text('to', search.to),
  }),
});

export const routes = [auditLog] as const;

export const place: NavigationEntry = {
  label: 'Audit log',
  to: '/$organization/audit-log',
  icon: <LogIcon />,
  key: 'a',
  role: 'admin',
  group: 'organization',
  also: 'who did what',
};
