import { Agent, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import { html } from '../../pages/html.ts';
import { page, pageHeaders } from '../../pages/page.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { noted } from '../engine/http/problem-reply.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { askingBuiltInProvider } from './built-in-provider.ts';

const mostBytes = 64 * 1024;
const longestWait = 20_000;

/** Headers that belong to one connection, are set again here, or are none of the provider's business. */
const notPassedOn = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'cookie',
  'forwarded',
  'x-real-ip',
]);

/**
 * The built-in identity provider under our own address: whatever is beneath `/oidc` goes to its socket. Where
 * OIDC_ISSUER names another provider, there is nothing at these paths.
 */
export function providerProxy(app: FastifyInstance, server: ServerParts, clients: ClientAddress): void {
  const { settings } = server;
  const ask = askingBuiltInProvider(settings);
  if (ask === undefined) return;
  const begin = ask;
  const { protocol, host } = new URL(settings.PUBLIC_URL);
  const secure = settings.BUILT_IN_PROVIDER_URL?.startsWith('https:') === true;
  const agent = new (secure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 64, scheduling: 'lifo' });

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: mostBytes }, (_, body, done) => done(null, body));
    scope.setErrorHandler((error, request, reply) => refuse(request, reply, error));
    scope.addHook('onRequest', async (incoming) => {
      await server.rates.spend('anonymous', clients.of(incoming.raw), settings.RATE_LIMIT_ANONYMOUS_PER_MINUTE);
    });
    scope.addHook('onClose', async () => agent.destroy());
    scope.route({ method: ['GET', 'POST'], url: '/oidc/*', handler });
  });

  async function handler(incoming: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = Buffer.isBuffer(incoming.body) ? incoming.body : undefined;
    const answer = await passOn(incoming, reply, {
      ...passedOn(incoming.headers),
      'x-forwarded-for': clients.of(incoming.raw),
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-request-id': incoming.id,
      ...(body === undefined ? {} : { 'content-length': body.length }),
    });
    return reply
      .code(answer.statusCode ?? 502)
      .headers(passedOn(answer.headers))
      .send(answer);
  }

  function passOn(
    incoming: FastifyRequest,
    reply: FastifyReply,
    headers: OutgoingHttpHeaders,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { raw } = incoming;
      const asked = begin({ agent, method: raw.method ?? 'GET', path: raw.url ?? '/', headers, timeout: longestWait });
      asked.once('response', resolve);
      asked.once('error', (error) => {
        server.log.warn({ requestId: incoming.id, why: error.message }, 'The identity provider does not answer');
        reject(away());
      });
      asked.once('timeout', () => asked.destroy(new Error('The provider did not answer in time.')));
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) asked.destroy();
      });
      asked.end(incoming.body);
    });
  }
}

function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (notPassedOn.has(name) || named.has(name) || name.startsWith('x-forwarded-')) continue;
    passed[name] = value;
  }
  const cookies = foreignCookies(headers.cookie);
  return cookies === '' ? passed : { ...passed, cookie: cookies };
}

/** Sessions of the API are none of the provider's business. */
function foreignCookies(header: string | undefined): string {
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !pair.startsWith('svc_'))
    .join('; ');
}

function away(): Problem {
  return new Problem('unavailable', 'The sign-in is not ready at the moment; try again in a few seconds.', {
    retryAfterSeconds: 2,
  });
}

/** To a browser a page, to programs a problem. */
function refuse(incoming: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (!String(incoming.headers.accept).includes('text/html')) throw error;
  const problem = noted(incoming, error);
  if (reply.sent) return;
  const wait = problem.retryAfterSeconds;
  if (wait !== undefined) reply.header('retry-after', String(wait));
  const body = html`<h1>This did not work</h1><p>${problem.message}</p>
<p class="actions"><a class="button" href="/sign-in">Back to the sign-in</a></p>`;
  reply
    .code(problem.status)
    .headers(pageHeaders())
    .send(page({ title: 'This did not work', body }));
}
