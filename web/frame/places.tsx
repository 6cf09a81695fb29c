import {
  BeakerIcon,
  GearIcon,
  HomeIcon,
  KeyIcon,
  LogIcon,
  PeopleIcon,
  PersonIcon,
  ServerIcon,
  WorkflowIcon,
} from '@primer/octicons-react';
import type { ReactNode } from 'react';
import type { Role } from '../../domain/roles.ts';

/** A page that the sidebar, the palette and the shortcuts lead to. */
export interface Place {
  label: string;
  to:
    | '/o/$organization'
    | '/o/$organization/clusters'
    | '/o/$organization/operations'
    | '/o/$organization/members'
    | '/o/$organization/teams'
    | '/o/$organization/tokens'
    | '/o/$organization/ci'
    | '/o/$organization/audit-log'
    | '/o/$organization/settings';
  icon: ReactNode;
  /** Pressed after `g`. */
  key: string;
  role: Role;
  group: 'work' | 'organization';
  /** Other words by which it is looked for. */
  also: string;
}

export const places: readonly Place[] = [
  {
    label: 'Home',
    to: '/o/$organization',
    icon: <HomeIcon />,
    key: 'h',
    role: 'viewer',
    group: 'work',
    also: 'start overview',
  },
  {
    label: 'Clusters',
    to: '/o/$organization/clusters',
    icon: <ServerIcon />,
    key: 'c',
    role: 'viewer',
    group: 'work',
    also: 'machines nodes agents',
  },
  {
    label: 'Workflows',
    to: '/o/$organization/operations',
    icon: <WorkflowIcon />,
    key: 'o',
    role: 'admin',
    group: 'work',
    also: 'operations actors history stuck',
  },
  {
    label: 'Members',
    to: '/o/$organization/members',
    icon: <PersonIcon />,
    key: 'm',
    role: 'viewer',
    group: 'organization',
    also: 'people roles invitations',
  },
  {
    label: 'Teams',
    to: '/o/$organization/teams',
    icon: <PeopleIcon />,
    key: 't',
    role: 'viewer',
    group: 'organization',
    also: 'groups',
  },
  {
    label: 'API tokens',
    to: '/o/$organization/tokens',
    icon: <KeyIcon />,
    key: 'k',
    role: 'admin',
    group: 'organization',
    also: 'keys secrets',
  },
  {
    label: 'CI jobs',
    to: '/o/$organization/ci',
    icon: <BeakerIcon />,
    key: 'j',
    role: 'admin',
    group: 'organization',
    also: 'trusted issuers continuous integration',
  },
  {
    label: 'Audit log',
    to: '/o/$organization/audit-log',
    icon: <LogIcon />,
    key: 'a',
    role: 'admin',
    group: 'organization',
    also: 'who did what',
  },
  {
    label: 'Settings',
    to: '/o/$organization/settings',
    icon: <GearIcon />,
    key: 's',
    role: 'viewer',
    group: 'organization',
    also: 'retention second factor delete name',
  },
];

/** The place that a page belongs to, by its path in `routes.ts`. */
export function placeOf(path: string): Place | undefined {
  return places
    .filter(({ to }) => path === to || path.startsWith(`${to}/`))
    .toSorted((one, other) => other.to.length - one.to.length)[0];
}
