import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type SessionCredential, sessionCredential } from '../../db/credentials/credentials.ts';
import type { Author } from '../../db/engine/author.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { Problem } from '../../domain/problems.ts';
import { pageHeaders } from '../../pages/page.ts';
import { isSameOrigin } from '../../pages/same-origin.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { rateClasses } from '../engine/limits/rate-classes.ts';
import { Client } from '../engine/pipeline/client.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

/** A person in front of a page, or sending one of its forms. */
export interface Visitor {
  client: Client;
  request: FastifyRequest;
  /** A field of the form; empty if it is missing. */
  field(name: string): string;
  parameter(name: string): string;
  query(name: string): string | undefined;
  /** The session that the browser has, if it is still good. */
  session(): Promise<SessionCredential | undefined>;
}

/** A page to show, or an address to lead on to. */
export type Next = { page: string; status?: number; headers?: Record<string, string> } | { to: string };

export interface PageRoutes {
  server: ServerParts;
  get(url: string, show: (visitor: Visitor) => Promise<Next>): void;
  post(url: string, act: (visitor: Visitor) => Promise<Next>): void;
}

/** Routes for pages: what is asked of every visitor stands here, once. */
export function pageRoutesIn(app: FastifyInstance, server: ServerParts, clients: ClientAddress): PageRoutes {
  const { rates, settings } = server;

  function add(method: 'GET' | 'POST', url: string, answer: (visitor: Visitor) => Promise<Next>): void {
    app.route({
      method,
      url,
      onRequest: async (request) => {
        const address = clients.of(request.raw);
        await rates.spend('address', address, settings.RATE_LIMIT_PER_MINUTE);
        if (method === 'GET') return;
        await rates.spend('credentials', address, rateClasses.credentials);
        refuseForeignForm(request, settings.PUBLIC_URL);
      },
      handler: async (request, reply) => {
        const setCookies: string[] = [];
        const visitor = visitorOf(server, request, clients.of(request.raw), setCookies);
        const next = await answer(visitor).finally(() => {
          if (setCookies.length > 0) reply.header('set-cookie', setCookies);
        });
        if ('to' in next) return reply.redirect(next.to, 303);
        return reply
          .code(next.status ?? 200)
          .headers(next.headers ?? pageHeaders())
          .send(next.page);
      },
    });
  }

  return { server, get: (url, show) => add('GET', url, show), post: (url, act) => add('POST', url, act) };
}

export function authorOf({ client }: Visitor, session: SessionCredential | undefined): Author {
  const { address: ip, requestId } = client;
  if (session === undefined) return { kind: 'machine', id: 'public', name: 'anonymous', ip, requestId };
  return { kind: 'user', id: session.user.id, name: session.user.name, ip, requestId };
}

function visitorOf(server: ServerParts, request: FastifyRequest, address: string, setCookies: string[]): Visitor {
  const client = new Client({ address, requestId: request.id, headers: request.headers, setCookies });
  const { body } = request;
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  return {
    client,
    request,
    field: (name) => form.get(name) ?? '',
    parameter: (name) => textOf(request.params, name) ?? '',
    query: (name) => textOf(request.query, name),
    async session() {
      const secret = client.cookie('svc_session');
      if (secret === undefined || secret === '') return undefined;
      const session = await sessionCredential(server.database.kysely, hashSecret(secret));
      if (session !== undefined) server.lastUsed.touchSession(session.id, session.idleSoon);
      return session;
    },
  };
}

function refuseForeignForm(request: FastifyRequest, publicUrl: string): void {
  if (isSameOrigin(request.headers, publicUrl)) return;
  throw new Problem(
    'csrf-header-missing',
    `The form was not sent from a page of ${new URL(publicUrl).host}; open that address itself and send it again.`,
  );
}

function textOf(values: unknown, name: string): string | undefined {
  const value: unknown = typeof values === 'object' && values !== null ? Reflect.get(values, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
