import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { showsMetricsToken } from '../../db/keys/metrics-token.ts';
import { listenOnSocket, SocketTaken } from '../../machine/listen-on-socket.ts';
import { isOwnDirectory } from '../../machine/own-directory.ts';

export interface WorkerState {
  ready: boolean;
  /** The state of each part, in a word or a sentence. */
  parts: Record<string, string>;
}

export interface WorkerHttp {
  port: number;
  close(): Promise<void>;
}

interface HttpOptions {
  /** A port on 127.0.0.1, or the descriptor of a socket that listens already. */
  at: { port: number } | { fd: number };
  /** WORKER_SOCKET, which lets only its user in. */
  socket?: string | undefined;
  /** METRICS_TOKEN_FILE. */
  tokenFile: string;
  state: () => WorkerState;
  metrics: () => Promise<string>;
}

/** The message is for people. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** Health for everybody on this machine; metrics for who shows the token, and for who can open the socket. */
export async function openHttp({ at, socket, tokenFile, state, metrics }: HttpOptions): Promise<WorkerHttp> {
  const inner = createServer(answering({ state, metrics, mayRead: async () => true }));
  const leave = socket === undefined ? () => {} : await listenInside(inner, socket);
  const server = createServer(answering({ state, metrics, mayRead: (shown) => showsMetricsToken(tokenFile, shown) }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(sentenceOf(error)));
    server.listen('fd' in at ? at : { port: at.port, host: '127.0.0.1' }, resolve);
  }).catch((error: unknown) => {
    leave();
    throw error;
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      leave();
      for (const one of [inner, server]) one.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listenInside(server: Server, socket: string): Promise<() => void> {
  if (isOwnDirectory(dirname(socket))) return await listenOnSocket(server, socket, 'WORKER_SOCKET');
  throw new SocketTaken(
    `WORKER_SOCKET is ${socket}, whose directory is missing, or can be entered by other users; name one that only you can enter.`,
  );
}

interface Answering extends Pick<HttpOptions, 'state' | 'metrics'> {
  mayRead(authorization: string | undefined): Promise<boolean>;
}

function answering({ state, metrics, mayRead }: Answering): RequestListener {
  return async (request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET') return answer(response, 405, 'Only GET is answered here.\n');
    if (path === '/healthz') return answer(response, 200, 'alive\n');
    if (path === '/readyz') {
      const now = state();
      return answer(response, now.ready ? 200 : 503, JSON.stringify(now), 'application/json');
    }
    if (path !== '/metrics') return answer(response, 404, 'There are /healthz, /readyz and /metrics.\n');
    if (!(await mayRead(request.headers.authorization))) {
      return answer(response, 403, 'Send the token in METRICS_TOKEN_FILE as Authorization: Bearer ….\n');
    }
    const text = await metrics().catch(() => undefined);
    if (text === undefined) return answer(response, 500, 'The metrics cannot be read.\n');
    return answer(response, 200, text, 'text/plain; version=0.0.4; charset=utf-8');
  };
}

function sentenceOf(error: Error): Error {
  if (!('code' in error) || error.code !== 'EADDRINUSE') return error;
  return new PortTaken('WORKER_PORT is taken by another program; choose another, or 0 for a free one.');
}

function answer(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
