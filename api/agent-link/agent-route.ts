import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { changeCredential } from '../../db/agents/cluster-agents.ts';
import { Problem } from '../../domain/problems.ts';
import { credentialRequest } from '../../protocol/agent.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { fieldErrors } from '../engine/input/field-errors.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { type AdmittedAgent, type AgentHeaders, admitAgent, currentIncarnation, type From } from './admit-agent.ts';
import { cleanText } from './clean-text.ts';

/** How often something may happen to each of many: a few times at once, and then so often a second. Of this process. */
export class Pace {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #left = new Map<string, { left: number; at: number }>();

  constructor({ perSecond, atOnce }: { perSecond: number; atOnce: number }) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
  }

  allows(id: string, now = performance.now()): boolean {
    const known = this.#left.get(id);
    const regained = known === undefined ? 0 : ((now - known.at) / 1_000) * this.#perSecond;
    const left = known === undefined ? this.#atOnce : Math.min(this.#atOnce, known.left + regained);
    const allowed = left >= 1;
    this.#left.delete(id);
    this.#left.set(id, { left: allowed ? left - 1 : left, at: now });
    // Those that were asked for longest ago come first, and are as if they had never been.
    for (const [other, { at }] of this.#left) {
      if (((now - at) / 1_000) * this.#perSecond < this.#atOnce) break;
      this.#left.delete(other);
    }
    return allowed;
  }
}

interface AgentRequest<Body, Query> {
  server: ServerParts;
  body: Body;
  query: Query;
  /** Of the path. */
  id: string;
  from: From;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The sender of a request, before the body is read. */
interface Visitor {
  server: ServerParts;
  from: From;
  headers: AgentHeaders;
}

interface RouteParts<Body, Query> {
  method: 'GET' | 'POST';
  /** Beneath `/agent/v1/`. */
  url: string;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  bodyLimit?: number;
  /** A long poll: the answer comes when there is something to say, so it does not count among the requests in work. */
  waits?: true;
}

export interface AgentRoute {
  mount(app: FastifyInstance, server: ServerParts, clients: ClientAddress): void;
}

const smallBody = 64 * 1024;
/** An agent that sends many logs at once stays far below; one that floods us takes nothing from others. */
const requests = new Pace({ perSecond: 100, atOnce: 500 });

/** A route that asks for no credential, or looks after that itself. */
export function openRoute<Body = undefined, Query = undefined>(
  parts: RouteParts<Body, Query> & {
    /** Checks before the body is read. */
    admit?: (visitor: Visitor) => Promise<void>;
    handle: (asked: AgentRequest<Body, Query>) => Promise<unknown>;
  },
): AgentRoute {
  return {
    mount: (app, server, clients) =>
      serve(
        app,
        parts,
        async (request) => parts.admit?.({ server, from: fromOf(request, clients), headers: request.headers }),
        (request, reply) => parts.handle(asked(server, clients, parts, request, reply)),
      ),
  };
}

/** A route for agents that have enrolled. Who it is, is asked before the body is read. */
export function agentRoute<Body = undefined, Query = undefined>(
  parts: RouteParts<Body, Query> & {
    handle: (asked: AgentRequest<Body, Query>, agent: AdmittedAgent) => Promise<unknown>;
  },
): AgentRoute {
  return {
    mount(app, server, clients) {
      const admitted = new WeakMap<FastifyRequest, AdmittedAgent>();
      serve(
        app,
        parts,
        async (request) => {
          const agent = await admitAgent(server, request.headers, fromOf(request, clients));
          if (!requests.allows(agent.clusterId)) throw tooMany();
          admitted.set(request, agent);
          request.admitted = true;
        },
        async (request, reply) => {
          const agent = admitted.get(request);
          if (agent === undefined) throw new Error('The agent was not admitted.');
          return parts.handle(asked(server, clients, parts, request, reply), agent);
        },
      );
    },
  };
}

/** A route for the agent that has said hello last; an older one is told to stop. */
export function incarnationRoute<Body = undefined, Query = undefined>(
  parts: RouteParts<Body, Query> & {
    handle: (asked: AgentRequest<Body, Query>, agent: AdmittedAgent, incarnation: number) => Promise<unknown>;
  },
): AgentRoute {
  return agentRoute({
    ...parts,
    async handle(given, agent) {
      const incarnation = await currentIncarnation(given.server, agent, given.request.headers);
      return parts.handle(given, agent, incarnation);
    },
  });
}

export function tooMany(retryAfterSeconds = 1): Problem {
  return new Problem('too-many-requests', 'This agent sends too many requests; it has to wait a little.', {
    retryAfterSeconds,
  });
}

function serve<Body, Query>(
  app: FastifyInstance,
  { method, url, bodyLimit = smallBody, waits }: RouteParts<Body, Query>,
  admit: (request: FastifyRequest) => Promise<void>,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({
    method,
    url: `/agent/v1/${url}`,
    bodyLimit,
    config: { quiet: true, ...(waits === undefined ? {} : { waits }) },
    onRequest: admit,
    handler: async (request, reply) => {
      const answer = await handler(request, reply);
      if (reply.sent || answer === reply) return reply;
      return reply.type('application/json').send(JSON.stringify(answer ?? {}));
    },
  });
}

function asked<Body, Query>(
  server: ServerParts,
  clients: ClientAddress,
  { body, query }: RouteParts<Body, Query>,
  request: FastifyRequest,
  reply: FastifyReply,
): AgentRequest<Body, Query> {
  const params: unknown = request.params;
  const id: unknown = typeof params === 'object' && params !== null && 'id' in params ? params.id : '';
  return {
    server,
    body: read('body', body, request.body),
    query: read('query', query, request.query),
    id: String(id),
    from: fromOf(request, clients),
    request,
    reply,
  };
}

function fromOf(request: FastifyRequest, clients: ClientAddress): From {
  return { address: clients.of(request.raw), requestId: request.id };
}

/** Fields that are not known are ignored: a newer agent may send them. */
function read<T>(part: 'body' | 'query', schema: z.ZodType<T> | undefined, given: unknown): T {
  if (schema === undefined) return undefined as T;
  const clean = cleanText(given);
  const result = schema.safeParse(clean);
  if (result.success) return result.data;
  const errors = fieldErrors(part, schema, clean, result.error.issues);
  throw new Problem('invalid-field', 'The message of the agent does not follow the protocol.', { errors });
}

/** The agent has made itself another credential. The one it asks with holds until the new one is used. */
export const credential = incarnationRoute({
  method: 'POST',
  url: 'credential',
  body: credentialRequest,
  async handle({ server, body }, agent): Promise<void> {
    await changeCredential(server.database.kysely, agent.clusterId, Buffer.from(body.credentialHash, 'hex'));
  },
});

const largest = 2_147_483_647;

/** Refuses numbers that no column holds; the protocol knows no bound, but nothing real comes near it. */
export function mustFit(location: string, ...numbers: (number | undefined)[]): void {
  if (numbers.every((number) => number === undefined || Math.abs(number) <= largest)) return;
  const errors = [{ message: `must be at most ${largest}`, location }];
  throw new Problem('invalid-field', 'The message of the agent does not follow the protocol.', { errors });
}
