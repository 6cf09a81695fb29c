import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { admitVisit, visitOf } from './http/admit.ts';
import { bodyLimitOf } from './http/body.ts';
import type { ClientAddress } from './http/client-address.ts';
import { sendProblem } from './http/problem-reply.ts';
import { typedText } from './input/typed-text.ts';
import type { Answer } from './pipeline/answer.ts';
import { run } from './pipeline/run.ts';
import { inSpan } from './pipeline/span.ts';
import type { NamedOperation } from './registry.ts';
import { answerName, schemaUri } from './schema-uri.ts';
import type { ServerParts } from './server/server-parts.ts';
import { serveStream } from './streams/serve-stream.ts';

/** A route for each operation, at the method and path that it names. */
export function restRoutes(
  app: FastifyInstance,
  server: ServerParts,
  operations: readonly NamedOperation[],
  clients: ClientAddress,
): void {
  const onRequest = admitVisit(server, clients);
  for (const named of operations) {
    const { operation } = named;
    app.route({
      method: operation.method,
      url: routeOf(operation.url),
      config: { operation: named },
      bodyLimit: bodyLimitOf(operation, server.settings),
      onRequest,
      // A look at the headers must not use up what is good once.
      exposeHeadRoute: !operation.redirects,
      handler: operation.stream === undefined ? answering(server, named) : streaming(server, named),
    });
  }
}

/** `/teams/{id}/items:batch` in the words of the router: `/teams/:id/items::batch`. */
function routeOf(url: string): string {
  return url.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');
}

function answering(server: ServerParts, named: NamedOperation) {
  const input = inputOf(named);
  const write = writerOf(named);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { incoming } = visitOf(request);
    const answer = await inSpan(incoming, () => run(server, incoming, input(request)));
    if (named.operation.redirects) return reply.redirect(String(answer.value), 302);
    reply.code(answer.status);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    if (answer.value === undefined) return reply.send();
    return reply.header('content-type', 'application/json').send(write(answer));
  };
}

function streaming(server: ServerParts, named: NamedOperation) {
  const input = inputOf(named);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const visit = visitOf(request);
    // A stream has a lifetime of its own.
    visit.deadline.clear();
    try {
      await serveStream(server, visit.incoming, input(request), reply);
    } catch (error) {
      sendProblem(request, reply, error);
    }
  };
}

function inputOf({ operation }: NamedOperation) {
  const path = typedText(operation.path);
  const query = typedText(operation.query);
  const resumable = operation.stream !== undefined && isResumable(operation.query);
  return (request: FastifyRequest) => ({
    path: path(request.params as Record<string, unknown>),
    query: query({ ...(resumable ? lastEvent(request) : {}), ...(request.query as Record<string, unknown>) }),
    body: request.body ?? undefined,
  });
}

function isResumable(query: z.ZodType): boolean {
  return query instanceof z.ZodObject && 'after' in query.shape;
}

/** The id of the last event that a reader got, as event streams name it when they reconnect. */
function lastEvent({ headers }: FastifyRequest): { after?: string } {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? { after: id } : {};
}

/** Writes answers as JSON. Objects begin with their `$schema`, put there as text: it is the same every time. */
function writerOf({ name, operation }: NamedOperation): (answer: Answer) => string {
  if (operation.document) return ({ value }) => JSON.stringify(value);
  const opening = `{"$schema":${JSON.stringify(schemaUri(answerName(name, operation)))}`;
  return ({ value }) => {
    const json = JSON.stringify(value);
    if (!json.startsWith('{')) return json;
    return json === '{}' ? `${opening}}` : `${opening},${json.slice(1)}`;
  };
}
