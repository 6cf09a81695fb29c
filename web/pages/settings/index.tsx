import { GearIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all } from '../../live/affected.ts';

const settings = createRoute(pageIn(organizationRoute, '/settings', () => import('./settings.tsx'), 'Settings'));

export const routes = [settings] as const;

export const place: NavigationEntry = {
  label: 'Settings',
  to: '/$organization/settings',
  icon: <GearIcon />,
  key: 's',
  also: 'retention second factor delete name object stores buckets s3',
};

export const affected: Affected<
  'organization' | 'registry_credential' | 'object_store' | 'volume_backup' | 'volume_restore'
> = {
  organization: (trpc) => [all(trpc.organizations)],
  registry_credential: (trpc) => [all(trpc.registryCredentials)],
  object_store: (trpc) => [all(trpc.objectStores)],
  volume_backup: (trpc) => [all(trpc.volumeBackups)],
  volume_restore: (trpc) => [all(trpc.volumeRestores)],
};
