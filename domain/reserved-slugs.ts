/**
 * First parts of addresses that are ours: an organization's pages are at `/<slug>`, so none may be called like them. The API
 * refuses to start with an address that is missing here.
 */
export const reservedSlugs: ReadonlySet<string> = new Set([
  'account',
  'agent',
  'api',
  'assets',
  'console',
  'deleted-organizations',
  'docs',
  'healthz',
  'invitations',
  'metrics',
  'new-organization',
  'o',
  'oidc',
  'readyz',
  'sign-in',
  'sign-in-link',
  'sign-out',
  'signed-out',
  'trpc',
  'v2',
  'webhooks',
]);
