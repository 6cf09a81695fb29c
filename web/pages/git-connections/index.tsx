import { GitBranchIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all } from '../../live/affected.ts';
import { flag, type Search } from '../../search.ts';

const connections = createRoute({
  ...pageIn(organizationRoute, '/git', () => import('./connection-list.tsx'), 'ConnectionList'),
  validateSearch: ({ add }: Search) => flag('add', add),
});

export const routes = [connections] as const;

export const place: NavigationEntry = {
  label: 'Git',
  to: '/$organization/git',
  icon: <GitBranchIcon />,
  key: 'i',
  role: 'admin',
  also: 'git connections repositories github gitlab gitea forgejo codeberg webhook token',
};

export const affected: Affected<'git_connection'> = { git_connection: (trpc) => [all(trpc.gitConnections)] };
