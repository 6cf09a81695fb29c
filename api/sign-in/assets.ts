import type { FastifyInstance } from 'fastify';
import { assetsPath, readAsset } from '../../pages/page.ts';

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

/** The style sheet and the scripts of all pages, the provider's included. They are small and stay in memory. */
export function assetRoutes(app: FastifyInstance): void {
  for (const name of ['pages.css', 'code-from-fragment.js', 'passkey.js'] as const) {
    const text = readAsset(name);
    const type = name.endsWith('.css') ? types.css : types.js;
    app.get(`${assetsPath}${name}`, async (_, reply) =>
      reply.header('cache-control', 'public, max-age=300').type(type).send(text),
    );
  }
}
