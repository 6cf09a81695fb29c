import type { FastifyReply, FastifyRequest } from 'fastify';
import { admit } from '../pipeline/admit.ts';
import { startDeadline } from '../pipeline/deadline.ts';
import type { ServerParts } from '../server/server-parts.ts';
import type { ClientAddress } from './client-address.ts';
import type { Visit } from './visit.ts';

/** Decides whether the caller may do what the route does, before a single byte of the body is read. */
export function admitVisit(server: ServerParts, clients: ClientAddress) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const named = request.routeOptions.config.operation;
    if (named === undefined) throw new Error('A route without an operation cannot be admitted.');
    const deadline = startDeadline(server.settings.REQUEST_TIMEOUT);
    const { raw } = reply;
    raw.once('close', () => {
      deadline.clear();
      if (!raw.writableFinished) deadline.gone();
    });
    const incoming = {
      requestId: request.id,
      address: clients.of(request.raw),
      method: request.method,
      headers: request.headers,
      signal: deadline.signal,
      time: deadline,
      named,
      caller: undefined,
      rate: undefined,
      setCookies: [],
    };
    const visit: Visit = { incoming, deadline };
    request.visit = visit;
    try {
      await admit(server, visit.incoming);
      request.admitted = visit.incoming.caller !== undefined;
    } finally {
      const { rate } = visit.incoming;
      if (rate !== undefined) reply.headers({ 'ratelimit-policy': rate.policy, ratelimit: rate.remaining });
    }
  };
}

export function visitOf(request: FastifyRequest): Visit {
  if (request.visit === null) throw new Error('The request was not admitted.');
  return request.visit;
}
