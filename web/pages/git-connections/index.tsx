import { GitBranchIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all } from '../../live/affected.ts';
import { flag, type Search } from '../../search.ts';
import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeeds, updatedDeed } from '../audit-log/plain-deeds.ts';

const connections = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/git',
  validateSearch: ({ add }: Search) => flag('add', add),
  component: page(() => import('./connection-list.tsx'), 'ConnectionList'),
});

export const routes = [connections] as const;

export const place: Place = {
  label: 'Git',
  to: '/$organization/git',
  icon: <GitBranchIcon />,
  key: 'i',
  role: 'admin',
  also: 'git connections repositories github gitlab gitea forgejo codeberg webhook token',
};

export const kinds: Kinds<'git_connection'> = { git_connection: 'Git connections' };

export const affected: Affected<'git_connection'> = { git_connection: (trpc) => [all(trpc.gitConnections)] };

const thing = 'the Git connection';

export const deeds: Deeds<'git_connection'> = {
  ...plainDeeds('git_connection', thing),
  'git_connection.updated': updatedDeed(thing),
  'git_connection.checked': {
    label: 'Checked',
    done: ({ name, details }) =>
      `checked ${thing} ${name}${details.failed === true ? ': its host refused it or did not answer' : ''}`,
  },
  'git_connection.webhook_secret_replaced': {
    label: 'Webhook secret replaced',
    done: ({ name }) => `replaced the secret of the webhook of ${thing} ${name}`,
  },
};
