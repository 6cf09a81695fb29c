import { KeyIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, one } from '../../live/affected.ts';
import { flag, type Search, text } from '../../search.ts';

const tokens = createRoute({
  ...pageIn(organizationRoute, '/tokens', () => import('./tokens.tsx'), 'Tokens'),
  validateSearch: ({ over, make, q }: Search) => ({ ...flag('over', over), ...flag('make', make), ...text('q', q) }),
});

export const routes = [tokens] as const;

export const place: NavigationEntry = {
  label: 'API tokens',
  to: '/$organization/tokens',
  icon: <KeyIcon />,
  key: 'k',
  role: 'admin',
  also: 'keys secrets',
};

export const affected: Affected<'api_token'> = {
  api_token: (trpc, id) => [one(trpc.apiTokens, id)],
};
