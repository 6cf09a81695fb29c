import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { assetsPath, readAsset } from '../../pages/page.ts';
import { consoleFileRoutes, consolePages } from '../console/console-routes.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { noted } from '../engine/http/problem-reply.ts';
import { sendFailurePage } from '../engine/problems/failure-page.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { invitationPage, linkPage, signInPages } from './pages.ts';
import { pageRoutesIn } from './visitor.ts';

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', woff2: 'font/woff2' };

/** The style sheet, the font and the scripts of all pages, the provider's included. They are small and stay in memory. */
function assetRoutes(app: FastifyInstance): void {
  for (const name of ['pages.css', 'inter.woff2', 'code-from-fragment.js', 'passkey.js', 'times.js'] as const) {
    const bytes = readAsset(name);
    const type = types[name.slice(name.lastIndexOf('.') + 1) as keyof typeof types];
    app.get(`${assetsPath}${name}`, async (_, reply) =>
      reply.header('cache-control', 'public, max-age=300').type(type).send(bytes),
    );
  }
}

const longestForm = 16_384;

/** The pages that people sign in by. They take forms and nothing else, and answer failures as pages. */
export function pageRoutes(app: FastifyInstance, server: ServerParts, clients: ClientAddress): void {
  app.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit: longestForm },
      (_, raw, done) => {
        const bytes = Buffer.isBuffer(raw) ? raw : Buffer.from(raw);
        done(null, new URLSearchParams(isUtf8(bytes) ? bytes.toString('utf8') : ''));
      },
    );
    pages.setErrorHandler((error, request, reply) => {
      const problem = noted(request, error);
      if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
      sendFailurePage(reply, problem);
    });
    assetRoutes(pages);
    consoleFileRoutes(pages, server);
    const routes = pageRoutesIn(pages, server, clients);
    consolePages(routes);
    signInPages(routes);
    linkPage(routes);
    invitationPage(routes);
  });
}
