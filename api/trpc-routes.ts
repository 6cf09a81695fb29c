import { getTRPCErrorShape, TRPCError } from '@trpc/server';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../domain/problems.ts';
import { admitVisit } from './engine/http/admit.ts';
import { bodyLimitOf } from './engine/http/body.ts';
import type { ClientAddress } from './engine/http/client-address.ts';
import { keepOpen } from './engine/http/discard.ts';
import { noted } from './engine/http/problem-reply.ts';
import type { NamedOperation, Registry } from './engine/registry.ts';
import type { ServerParts } from './engine/server/server-parts.ts';
import { trpcRouter } from './engine/trpc/trpc.ts';
import { problemBehind, trpcError } from './engine/trpc/trpc-problems.ts';

/** Mounts the procedures at /trpc, a route for each: the checks of its operation run before its body is read. */
export function trpcRoutes(
  app: FastifyInstance,
  server: ServerParts,
  registry: Registry,
  operations: readonly NamedOperation[],
  clients: ClientAddress,
): void {
  const router = trpcRouter(server, registry);
  const onRequest = admitVisit(server, clients);
  const refuse = (request: FastifyRequest, reply: FastifyReply, failure: unknown): void => {
    const problem = noted(request, failure);
    const path = request.routeOptions.config.operation?.name;
    const error = trpcError(problem);
    const shape = getTRPCErrorShape({
      config: router._def._config,
      error,
      type: 'unknown',
      path,
      input: undefined,
      ctx: undefined,
    });
    headersOf(problem).forEach(([name, value]) => {
      reply.header(name, value);
    });
    keepOpen(reply);
    reply
      .code(problem.status)
      .header('content-type', 'application/json')
      .send(JSON.stringify({ error: shape }));
  };
  void app.register(
    async (inner) => {
      inner.setErrorHandler((failure, request, reply) => refuse(request, reply, failure));
      const unknown = (request: FastifyRequest, reply: FastifyReply): void =>
        refuse(request, reply, problemBehind(new TRPCError({ code: 'NOT_FOUND' })));
      inner.addHook('onRequest', (request, reply, done) => {
        if (request.is404) unknown(request, reply);
        else done();
      });
      inner.setNotFoundHandler(unknown);
      for (const named of operations) {
        const { operation, name } = named;
        if (operation.redirects) continue;
        inner.route({
          method: operation.method === 'GET' ? 'GET' : 'POST',
          url: `/${name}`,
          exposeHeadRoute: false,
          config: { operation: named },
          bodyLimit: bodyLimitOf(operation, server.settings),
          onRequest,
          handler: (request, reply) => {
            if (operation.stream !== undefined) reply.header('connection', 'close');
            // Clients send no body where there is no input; tRPC would read that as broken JSON.
            if (request.method === 'POST') request.body ??= {};
            return fastifyRequestHandler({
              router,
              req: request,
              res: reply,
              path: name,
              allowBatching: false,
              createContext: () => ({ request }),
              responseMeta: ({ errors: [error] }) => {
                if (error === undefined) return {};
                const problem = problemBehind(error);
                return { status: problem.status, headers: Object.fromEntries(headersOf(problem)) };
              },
            });
          },
        });
      }
    },
    { prefix: '/trpc' },
  );
}

function headersOf(problem: Problem): [string, string][] {
  return problem.retryAfterSeconds === undefined ? [] : [['retry-after', String(problem.retryAfterSeconds)]];
}
