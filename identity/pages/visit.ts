import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { pageHeaders } from '../../pages/page.ts';

const mostBytes = 65_536;

/** One request of a browser for one of our pages. */
export interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** The client's, as the API says: nobody else reaches this process. */
  address: string;
}

export function visitOf(request: IncomingMessage, response: ServerResponse, url: URL): Visit {
  const forwarded = request.headers['x-forwarded-for'];
  const first = String(forwarded ?? '')
    .split(',')[0]
    ?.trim();
  const known = first !== undefined && isIP(first) !== 0;
  return { request, response, url, address: known ? first : (request.socket.remoteAddress ?? 'unknown') };
}

export interface Shown {
  status?: number;
  page: string;
  retryAfterSeconds?: number | undefined;
}

export function show(visit: Visit, { status = 200, page, retryAfterSeconds }: Shown): void {
  const body = Buffer.from(page, 'utf8');
  visit.response.writeHead(status, {
    ...pageHeaders(),
    'content-length': body.length,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  visit.response.end(visit.request.method === 'HEAD' ? undefined : body);
}

/** On to another page of ours, by GET. */
export function leadTo(visit: Visit, path: string): undefined {
  visit.response.writeHead(303, { location: path, 'cache-control': 'no-store', 'content-length': '0' });
  visit.response.end();
}

/** The body is none of our forms. */
export class NoForm extends Error {}

/** The fields of the form, each once. */
export async function readForm(request: IncomingMessage): Promise<Form> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) throw new NoForm('The request carries no form.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > mostBytes) throw new NoForm('The form is too large.');
    chunks.push(chunk);
  }
  const fields = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  return { text: (name) => fields.get(name) ?? '' };
}

export interface Form {
  /** Empty when it is not there. */
  text(name: string): string;
}
