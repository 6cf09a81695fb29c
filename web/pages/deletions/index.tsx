import { TrashIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { clockDeeds, plainDeeds } from '../audit-log/plain-deeds.ts';

const deleted = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/deleted',
  component: page(() => import('./deleted.tsx'), 'Deleted'),
});

export const routes = [deleted] as const;

export const place: Place = {
  label: 'Deleted',
  to: '/$organization/deleted',
  icon: <TrashIcon />,
  key: 'x',
  role: 'viewer',
  also: 'trash recently deleted restore purge',
};

export const kinds: Kinds<'volume'> = { volume: 'Volumes' };

export const deeds: Deeds<'volume'> = { ...plainDeeds('volume', 'the volume'), ...clockDeeds('volume', 'the volume') };
