import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { consoleFileRoutes, consolePages } from '../console/console-routes.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { noted } from '../engine/http/problem-reply.ts';
import { sendFailurePage } from '../engine/problems/failure-page.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { assetRoutes } from './assets.ts';
import { invitationPage } from './invitation-page.ts';
import { linkPage } from './link-page.ts';
import { signInPages } from './sign-in-page.ts';
import { pageRoutesIn } from './visitor.ts';

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
