import { TrashIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';

const deleted = createRoute(pageIn(organizationRoute, '/deleted', () => import('./deleted.tsx'), 'Deleted'));

export const routes = [deleted] as const;

export const place: NavigationEntry = {
  label: 'Deleted',
  to: '/$organization/deleted',
  icon: <TrashIcon />,
  key: 'x',
  role: 'viewer',
  also: 'trash recently deleted restore purge',
};
