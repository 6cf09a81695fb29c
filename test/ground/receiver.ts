import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OutboundRules } from '../../outbound/rules.ts';
import { authority } from './authority.ts';
import { until } from './until.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Parsed, if it is JSON. */
  body: unknown;
}

/**
 * A status, with more if need be. `hang` answers nothing for as long as the client waits, `cut` ends the connection
 * without an answer; a function answers in any other way.
 */
export type ReceiverAnswer =
  | number
  | { status: number; headers?: OutgoingHttpHeaders; body?: string }
  | 'hang'
  | 'cut'
  | ((request: Received, response: ServerResponse) => void);

/** The other side of what Ballast sends: a real https server on the loopback, whose authority nobody knows. */
export interface Receiver {
  readonly port: number;
  /** The certificate (PEM) of its authority. */
  readonly ca: string;
  /** By these it can be reached: as rules, and as settings of an installation. */
  readonly rules: OutboundRules;
  readonly settings: Record<'OUTBOUND_ALLOWED_RANGES' | 'OUTBOUND_CA_FILE' | 'NOTIFICATION_PAGER_URL', string>;
  /** All requests so far, in the order in which their bodies were there. */
  readonly requests: Received[];
  /** Its address, by a name that needs no look-up. */
  url(path?: string): string;
  /** The answers to the next requests, one each. */
  answers(...next: ReceiverAnswer[]): void;
  /** The answer to every request after those; 200 and `ok` at first. */
  otherwise(answer: ReceiverAnswer): void;
  /** Forgets all requests and answers, for the next test. */
  reset(): void;
  /** Waits for so many requests in all, or for those at one path, and answers them. */
  received(count: number, path?: string): Promise<Received[]>;
  close(): Promise<void>;
}

/** Opens a receiver with a certificate for these names; others reach it by a `resolve` of their own. */
export async function receiver(...names: string[]): Promise<Receiver> {
  const { ca, certify } = await authority();
  const directory = await mkdtemp(join(tmpdir(), 'ballast-receiver-'));
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, ca);
  const requests: Received[] = [];
  const script: ReceiverAnswer[] = [];
  const first: ReceiverAnswer = { status: 200, body: 'ok' };
  let usual: ReceiverAnswer = first;
  const server = createServer(
    await certify(...(names.length > 0 ? names : ['127.0.0.1', 'localhost'])),
    (request, response) => {
      // A client that leaves in the middle is no failure of the receiver.
      void received(request).then(
        (one) => {
          requests.push(one);
          give(script.shift() ?? usual, one, response);
        },
        () => undefined,
      );
    },
  );
  // Clients that do not trust it end the handshake.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = (path = '') => `https://127.0.0.1:${port}${path}`;
  return {
    port,
    ca,
    rules: { allowedRanges: ['127.0.0.0/8'], certificateAuthorities: ca },
    settings: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', OUTBOUND_CA_FILE: caFile, NOTIFICATION_PAGER_URL: url() },
    requests,
    url,
    answers: (...next) => void script.push(...next),
    otherwise: (answer) => {
      usual = answer;
    },
    reset: () => {
      requests.length = 0;
      script.length = 0;
      usual = first;
    },
    received: (count, path) =>
      until(`${count} requests ${path === undefined ? 'in all' : `at ${path}`}`, async () => {
        const those = requests.filter((one) => path === undefined || one.path === path);
        return those.length >= count && those;
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(directory, { recursive: true });
    },
  };
}

async function received(request: IncomingMessage): Promise<Received> {
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: parsed(await text(request)) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function give(answer: ReceiverAnswer, request: Received, response: ServerResponse): void {
  response.on('error', () => undefined);
  if (typeof answer === 'function') answer(request, response);
  else if (answer === 'cut') response.destroy();
  else if (answer !== 'hang') {
    const { status, headers = {}, body = '' } = typeof answer === 'number' ? { status: answer } : answer;
    response.writeHead(status, headers).end(body);
  }
}
