import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttp2Server, type Http2Session, type ServerHttp2Session } from 'node:http2';
import { Server as PlainServer, type Socket } from 'node:net';
import { forward } from './protocols/forward.ts';
import { askedOverH2c, H2cReply } from './protocols/h2c-client.ts';
import { askedOverHttp1, Http1Reply } from './protocols/http1.ts';
import { mayUpgrade, upgrade } from './protocols/upgrade.ts';
import type { Front } from './requests/access-log.ts';
import { plainAddress } from './trusted-proxies.ts';

const firstBytesMilliseconds = 15_000;
const crowdedMilliseconds = 2_000;
const preface = Buffer.from('PRI ');
const strict: ServerOptions = {
  insecureHTTPParser: false,
  requireHostHeader: true,
  maxHeaderSize: 32_768,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  // A large body may take its time; one that stands still is ended by `requestBody`.
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  noDelay: true,
  shouldUpgradeCallback: mayUpgrade,
};

/** The one port for clients: HTTP/1.1, and HTTP/2 for connections that begin with its preface. */
export class FrontDoor {
  readonly server: Server;
  readonly #sockets = new Set<Socket>();
  /** Nothing has come on these yet. */
  readonly #silent = new Set<Socket>();
  /** One more than its client may have: its first request is refused and it is closed. */
  readonly #crowded = new WeakSet<Socket>();
  readonly #crowdedSessions = new WeakSet<Http2Session>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #leaving = false;

  constructor(front: Front) {
    const leaving = (): boolean => this.#leaving;
    this.server = createServer(strict, (request, response) => {
      const crowded = this.#crowded.has(request.socket);
      forward(front, askedOverHttp1(request, crowded), new Http1Reply(request, response, () => crowded || leaving()));
    });
    this.server.on('upgrade', (request, socket, rest) => {
      upgrade(front, request, socket, rest, this.#crowded.has(request.socket));
    });
    this.server.maxConnections = 20_000;
    this.server.maxHeadersCount = 0;
    const http2 = createHttp2Server({
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: 32_768, enableConnectProtocol: false },
      maxSessionMemory: 16,
    });
    http2.on('session', (session) => this.#keep(session));
    http2.on('sessionError', () => undefined);
    http2.on('stream', (stream, headers, flags, rawHeaders: string[]) => {
      const { session } = stream;
      const crowded = session !== undefined && this.#crowdedSessions.has(session);
      forward(front, askedOverH2c(stream, headers, flags, rawHeaders, crowded), new H2cReply(stream));
      if (crowded) session?.close();
    });
    const takers = this.server.listeners('connection');
    this.server.removeAllListeners('connection');
    this.server.on('connection', (socket) => {
      if (!this.#admit(front, socket)) return;
      this.#sockets.add(socket);
      this.#silent.add(socket);
      socket.once('data', () => this.#silent.delete(socket));
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#silent.delete(socket);
      });
      recognise(socket, this.#crowded.has(socket) ? crowdedMilliseconds : firstBytesMilliseconds, (isHttp2) => {
        if (isHttp2) {
          // A session hides its socket, so that it is noted in the event that comes of it.
          http2.once('session', (session) => this.#crowded.has(socket) && this.#crowdedSessions.add(session));
          http2.emit('connection', socket);
        } else for (const take of takers) take.call(this.server, socket);
      });
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /**
   * Takes no further connection. Those that are open go on, and clients are told with their next answer to come anew:
   * closing an idle one could hit a request that is just coming.
   */
  leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    // `close` of an HTTP server would close idle connections at once.
    PlainServer.prototype.close.call(this.server);
    for (const session of this.#sessions) sayGoodbye(session);
  }

  /** Ends connections that have no request on them; after `leave`, every other one ends with its answer. */
  closeIdle(): void {
    this.server.closeIdleConnections();
    for (const socket of this.#silent) socket.end();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A proxy that is trusted speaks for many clients; those are counted by their requests. */
  #admit(front: Front, socket: Socket): boolean {
    const address = plainAddress(socket.remoteAddress);
    if (front.trusts(address)) return true;
    const verdict = front.limits.connected(address);
    socket.once('close', () => front.limits.disconnected(address));
    if (verdict === 'crowded') this.#crowded.add(socket);
    if (verdict === 'refused') socket.destroy();
    return verdict !== 'refused';
  }

  #keep(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.setTimeout(300_000, () => {
      if (session.state.outboundQueueSize === 0) session.close();
    });
    session.once('close', () => this.#sessions.delete(session));
    session.on('error', () => undefined);
    if (this.#leaving) sayGoodbye(session);
  }
}

/** A first GOAWAY asks for no new streams; a second, once the client must have seen the first, refuses them. */
function sayGoodbye(session: ServerHttp2Session): void {
  if (session.destroyed) return;
  session.goaway(0, 2 ** 31 - 1);
  setTimeout(() => session.destroyed || session.close(), 2_000);
}

function recognise(socket: Socket, milliseconds: number, found: (isHttp2: boolean) => void): void {
  let seen = Buffer.alloc(0);
  const giveUp = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(giveUp, milliseconds);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', giveUp);
  // The server allows half-open connections: nobody else would close this one.
  socket.on('end', giveUp);
  const look = (chunk: Buffer): void => {
    seen = seen.length === 0 ? Buffer.from(chunk) : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const like = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (like && length < preface.length) return;
    clearTimeout(timer);
    socket.off('data', look);
    socket.off('error', giveUp);
    socket.off('end', giveUp);
    socket.pause();
    socket.unshift(seen);
    found(like);
    if (!like) socket.resume();
  };
  socket.on('data', look);
}
