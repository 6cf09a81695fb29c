import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { connectionFailure } from '../../db/postgres/connection-failure.ts';
import { pageHeaders } from '../../pages/page.ts';
import { errorPage } from '../pages/error.ts';
import type { Pages } from '../pages/routes.ts';
import { mountPath } from './provider.ts';

export interface Serving {
  publicUrl: string;
  log: Logger;
  /** Undefined until the database and the keys are there. */
  open(): OpenProvider | undefined;
  /** Whether the database was there when it was looked for last. */
  ready(): boolean;
}

export interface OpenProvider {
  pages: Pages;
  protocol: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The provider over HTTP: its own pages first, then the protocol. Only the API, which is in front of it, speaks to it. */
export function createIdentityServer({ publicUrl, log, open, ready }: Serving): Server {
  const { protocol, host } = new URL(publicUrl);
  const secure: Record<string, string> =
    protocol === 'https:' ? { 'strict-transport-security': 'max-age=31536000' } : {};
  const { 'content-type': _, ...headers } = { ...pageHeaders(), ...secure };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeaders(new Headers(headers));
    const url = addressOf(request, publicUrl);
    if (url?.pathname === '/healthz') return plain(response, ready() ? 200 : 503, ready() ? 'ready\n' : 'waiting\n');
    if (url === undefined || !(url.pathname === mountPath || url.pathname.startsWith(`${mountPath}/`))) {
      return plain(response, 404, 'There is nothing at this path.\n');
    }
    const provider = open();
    if (provider === undefined) return away(response);
    // The public address is a setting; no header can put another one into a link.
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    request.headers['x-forwarded-host'] = host;
    if (await provider.pages(request, response, url)) return;
    const original = request.url ?? '/';
    // The provider knows its routes without the prefix, and makes its addresses out of what it was cut from.
    Object.assign(request, { originalUrl: original, url: original.slice(mountPath.length) || '/' });
    await provider.protocol(request, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const missing = connectionFailure(error);
      if (missing) log.warn({ why: String(error) }, 'A page could not be answered');
      else log.error({ err: error }, 'A page met a defect');
      if (response.headersSent) response.destroy();
      else if (missing) away(response);
      else page(response, 500, 'Something went wrong here; the log of the provider says what. Try again.');
    });
  });
  server.requestTimeout = 30_000;
  server.headersTimeout = 15_000;
  return server;
}

function addressOf(request: IncomingMessage, publicUrl: string): URL | undefined {
  const target = request.url ?? '';
  return target.startsWith('/') && URL.canParse(`${publicUrl}${target}`) ? new URL(`${publicUrl}${target}`) : undefined;
}

function away(response: ServerResponse): void {
  response.setHeader('retry-after', '2');
  page(response, 503, 'The sign-in is not ready yet, or its database is away; try again in a moment.');
}

function page(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(errorPage('This did not work', sentence));
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}
