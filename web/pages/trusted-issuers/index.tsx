import { BeakerIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search, text } from '../../search.ts';

const ci = createRoute({
  ...pageIn(organizationRoute, '/ci', () => import('./ci-jobs.tsx'), 'CiJobs'),
  validateSearch: ({ add, q }: Search) => ({ ...flag('add', add), ...text('q', q) }),
});

export const routes = [ci] as const;

export const place: NavigationEntry = {
  label: 'CI jobs',
  to: '/$organization/ci',
  icon: <BeakerIcon />,
  key: 'j',
  role: 'admin',
  also: 'trusted issuers continuous integration',
};

export const affected: Affected<'trusted_issuer'> = {
  trusted_issuer: (trpc, id) => [one(trpc.trustedIssuers, id), all(trpc.apiTokens)],
};
