import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { reason } from './exchange.ts';
import { OutboundFailed, OutboundRefused } from './failures.ts';
import { pinned } from './pinned.ts';
import type { OutboundRules } from './rules.ts';
import { addressesOf, checkTarget, type Resolve, type ResolvedAddress, resolveByDns } from './target.ts';

/** The only way out of a sandbox, and of git: requests by plain HTTP, and tunnels by CONNECT. */
export interface Proxy {
  /** Why an address was refused, each once. */
  readonly refused: ReadonlySet<string>;
  /** Hosts of tunnels and requests that are open, or are waited for. */
  hosts(): string[];
  /** Told at once, until the answer is called: `network:` and why an address was refused, `unreachable:` and why one was not reached. */
  onFailure(listener: (line: string) => void): () => void;
  serve(server: Server): void;
  close(): void;
}

/** Connections of one build at a time. Package managers open some dozens. */
const mostConnections = 256;
const connectMillis = 30_000;
const idleMillis = 600_000;
const mostRefusals = 5;

/** A target that was checked, and the addresses that it may be reached at. */
interface Target {
  url: URL;
  addresses: ResolvedAddress[];
}

/** Builds are led by others than the owner of the machine: the rules of `outbound/` hold, and each request is checked anew. */
export function openProxy(
  rules: OutboundRules,
  resolve: Resolve = resolveByDns,
  /** Told how many bytes came in, each time. */
  received?: (bytes: number) => void,
): Proxy {
  const sockets = new Set<Socket>();
  const refused = new Set<string>();
  const listeners = new Set<(line: string) => void>();
  const uses = new Set<{ host: string }>();
  let serving: Server | undefined;

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.setTimeout(idleMillis, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  }

  /** Plain http leads to public addresses, too: nothing of Ballast's is sent, and packages are verified by their tools. */
  async function check(authority: string): Promise<Target> {
    const url = checkTarget(`https://${authority}/`, rules);
    return { url, addresses: await addressesOf(url, rules, resolve) };
  }

  function failure(error: unknown, host: string): { status: number; message: string } {
    const isRefused = error instanceof OutboundRefused;
    const told = isRefused || error instanceof OutboundFailed;
    const message = told ? error.message : `The host ${host} could not be reached: ${reason(error)}.`;
    if (isRefused && refused.size < mostRefusals) refused.add(message);
    for (const listener of listeners) listener(`${isRefused ? 'network' : 'unreachable'}: ${message}`);
    return { status: isRefused ? 403 : 502, message };
  }

  async function tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const authority = request.url ?? '';
    const use = { host: authority.replace(/:443$/, '') };
    uses.add(use);
    client.on('close', () => uses.delete(use));
    try {
      const { url, addresses } = await check(authority);
      const upstream = await connected(url, addresses, Number(url.port || 443), track);
      if (client.destroyed) return void upstream.destroy();
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      if (received !== undefined) upstream.on('data', (piece: Buffer) => received(piece.length));
      upstream.pipe(client).pipe(upstream);
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    } catch (error) {
      const { status, message } = failure(error, authority);
      client.end(
        `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Gateway'}\r\ncontent-type: text/plain\r\n` +
          `content-length: ${Buffer.byteLength(message) + 1}\r\nconnection: close\r\n\r\n${message}\n`,
      );
    }
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    if (given?.protocol !== 'http:') {
      return void answer(response, 400, 'This is the proxy of a build: ask it for http://… or by CONNECT.');
    }
    const use = { host: given.host };
    uses.add(use);
    response.on('close', () => uses.delete(use));
    try {
      const userInfo = given.username !== '' || given.password !== '' ? `${given.username}@` : '';
      const { addresses } = await check(`${userInfo}${given.hostname}:${given.port || 80}`);
      const sent = httpRequest(given, {
        method: request.method ?? 'GET',
        headers: { ...endToEnd(request.headers), host: given.host },
        agent: false,
        lookup: pinned(addresses),
        timeout: idleMillis,
      });
      sent.on('socket', track);
      sent.on('response', (answered) => {
        response.writeHead(answered.statusCode ?? 502, endToEnd(answered.headers));
        if (received !== undefined) answered.on('data', (piece: Buffer) => received(piece.length));
        answered.pipe(response);
        answered.on('error', () => response.destroy());
      });
      sent.on('error', (error) => {
        if (response.headersSent) return void response.destroy();
        const { status, message } = failure(error, given.host);
        answer(response, status, message);
      });
      response.on('close', () => sent.destroy());
      request.pipe(sent);
    } catch (error) {
      const { status, message } = failure(error, given.host);
      answer(response, status, message);
    }
  }

  const http = createServer((request, response) => void forward(request, response));
  http.on('connect', (request, client: Socket, head) => void tunnel(request, client, head));
  http.on('upgrade', (_, client) => client.destroy());
  http.on('clientError', (_, client) => client.destroy());

  return {
    refused,
    hosts: () => [...new Set([...uses].map(({ host }) => host))],
    onFailure(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    serve(server) {
      serving = server;
      server.on('connection', (socket: Socket) => {
        if (sockets.size >= mostConnections * 2) return void socket.destroy();
        track(socket);
        http.emit('connection', socket);
      });
      server.on('error', () => undefined);
    },
    close() {
      serving?.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function connected(
  url: URL,
  addresses: ResolvedAddress[],
  port: number,
  track: (socket: Socket) => void,
): Promise<Socket> {
  const upstream = connect({ host: url.hostname, port, lookup: pinned(addresses), autoSelectFamily: true });
  track(upstream);
  const late = setTimeout(
    () => upstream.destroy(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })),
    connectMillis,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      upstream.once('connect', resolve);
      upstream.once('error', reject);
      upstream.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    });
    return upstream;
  } finally {
    clearTimeout(late);
  }
}

/** Headers of one hop stay there; credentials for a proxy are nobody's business here. */
function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  const dropped = new Set([...hopByHop, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}

const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`);
}
