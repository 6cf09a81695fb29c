import type { FastifyInstance } from 'fastify';
import { assetsPath, readAsset } from '../../pages/page.ts';

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', woff2: 'font/woff2' };

/** The style sheet, the font and the scripts of all pages, the provider's included. They are small and stay in memory. */
export function assetRoutes(app: FastifyInstance): void {
  for (const name of ['pages.css', 'inter.woff2', 'code-from-fragment.js', 'passkey.js', 'times.js'] as const) {
    const bytes = readAsset(name);
    const type = types[name.slice(name.lastIndexOf('.') + 1) as keyof typeof types];
    app.get(`${assetsPath}${name}`, async (_, reply) =>
      reply.header('cache-control', 'public, max-age=300').type(type).send(bytes),
    );
  }
}
