import type { FastifyInstance } from 'fastify';
import { reservedSlugs } from '../../domain/reserved-slugs.ts';
import { slugPattern } from '../../domain/slug.ts';

const reserved = [...reservedSlugs].join('|');
/** As `slugPattern`, in a form that the router takes for safe. */
const organization = `:organization(^(?!(?:${reserved})$)[a-z0-9][a-z0-9-]*$)`;

/** Where the console's pages are. All of them are one document; what it shows follows from the address. */
export const consolePaths = [
  '/',
  '/account',
  '/new-organization',
  '/deleted-organizations',
  `/${organization}`,
  `/${organization}/*`,
];

/** The API does not start with an address that an organization could be called like. */
export function reserveAddresses(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url }) => {
    const first = url.split('/')[1] ?? '';
    if (slugPattern.test(first) && !reservedSlugs.has(first)) {
      throw new Error(`${url} could be an organization's address: name "${first}" in domain/reserved-slugs.ts.`);
    }
  });
}
