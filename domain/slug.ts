/** A slug is what stands in addresses and host names, so it obeys the rules of a DNS label. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The slug a name suggests: "Söhne & Co" → "sohne-co". Empty when the name has no letter or digit of ASCII. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}

/** The first of `base`, `base-2`, `base-3`, … that is not taken. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const candidate = base.slice(0, 63 - suffix.length).replace(/-+$/, '') + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

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
