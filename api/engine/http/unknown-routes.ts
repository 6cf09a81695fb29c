import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../domain/problems.ts';
import { html } from '../../../pages/html.ts';
import { page, pageHeaders } from '../../../pages/page.ts';
import { acceptsHtml } from '../problems/failure-page.ts';
import type { NamedOperation } from '../registry.ts';
import { noted, sendProblem } from './problem-reply.ts';

/** Answers requests that no route serves: an unknown path, or an unknown method of a known path. */
export function answerUnknownRoutes(app: FastifyInstance, operations: readonly NamedOperation[]): void {
  const paths = pathPatterns(operations);
  // At once: nobody reads the body of a request that leads nowhere.
  app.addHook('onRequest', (request, reply, done) => {
    // The procedures answer in their own form.
    if (request.is404 && !request.url.startsWith('/trpc/')) answer(request, reply);
    else done();
  });
  app.setNotFoundHandler((request, reply) => answer(request, reply));

  function answer(request: FastifyRequest, reply: FastifyReply): void {
    const pathname = request.url.split('?', 1)[0] ?? '';
    const methods = paths.filter(({ pattern }) => pattern.test(pathname)).flatMap(({ allowed }) => allowed);
    if (methods.length === 0) {
      const problem = new Problem('not-found', 'There is nothing at this path; /docs lists the API.');
      if (forPeople(request, pathname)) {
        noted(request, problem);
        reply.code(404).headers(pageHeaders()).send(nothingHere);
      } else sendProblem(request, reply, problem);
      return;
    }
    const allow = [...new Set(methods)].join(', ');
    reply.header('allow', allow);
    if (request.method === 'OPTIONS') {
      reply.code(204).send();
      return;
    }
    sendProblem(
      request,
      reply,
      new Problem('method-not-allowed', `The method ${request.method} is not known at this path; use ${allow}.`),
    );
  }
}

/** Whether somebody typed the address into a browser: paths of programs answer as they always do. */
function forPeople(request: FastifyRequest, pathname: string): boolean {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  return reads && acceptsHtml(request) && !/^\/(?:agent|api|console|trpc|v2)(?:\/|$)/.test(pathname);
}

const nothingHere = page({
  title: 'Not found',
  body: html`<h1>Not found</h1>
<p>There is no page at this address. It may have been mistyped, or what it showed was deleted.</p>
<p class="actions"><a class="button" href="/">Go to the first page</a></p>`,
});

function pathPatterns(operations: readonly NamedOperation[]): { pattern: RegExp; allowed: string[] }[] {
  const methods = Map.groupBy(operations, ({ operation }) => operation.url);
  return [...methods].map(([url, served]) => ({
    pattern: new RegExp(`^${url.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
    allowed: [
      ...served.flatMap(({ operation: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
      'OPTIONS',
    ],
  }));
}
