import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { clientNetwork } from '../../../domain/sign-in/client-network.ts';
import type { ClientAddress } from './client-address.ts';

/** Connections of strangers at once, from wherever: those that have shown no credential yet. */
const mostOfStrangers = 4_000;

/** When the process stops: what arrives in this time is still answered. */
const graceMillis = 2_000;

interface Connection {
  network: string;
  /** A request on it was admitted with a credential. */
  proven: boolean;
  /** Requests on it that are being answered. */
  inWork: number;
}

/**
 * Bounds what one address, and strangers together, can hold open. Nobody is refused because somebody else holds much:
 * a new connection displaces the oldest idle one of its own address, those that have proved nothing first. A trusted
 * proxy holds the connections of many, so its own are not counted.
 */
export class Connections {
  readonly #clients: ClientAddress;
  readonly #perAddress: number;
  readonly #open = new Map<Socket, Connection>();
  readonly #byNetwork = new Map<string, Set<Socket>>();
  readonly #strangers = new Set<Socket>();
  /** Of trusted proxies, without a request until now: some open connections ahead. */
  readonly #ahead = new Set<Socket>();

  constructor(clients: ClientAddress, perAddress: number) {
    this.#clients = clients;
    this.#perAddress = perAddress;
  }

  accept(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    if (this.#clients.isProxy(socket)) {
      this.#ahead.add(socket);
      socket.once('close', () => this.#ahead.delete(socket));
      return;
    }
    const network = clientNetwork(remoteAddress);
    const siblings = this.#byNetwork.get(network) ?? new Set<Socket>();
    if (siblings.size >= this.#perAddress) {
      const displaced = this.#idleOf(siblings);
      if (displaced === undefined) {
        socket.destroy();
        return;
      }
      this.#end(displaced);
    }
    if (this.#strangers.size >= mostOfStrangers) {
      const displaced = this.#idleOf(this.#strangers);
      if (displaced !== undefined) this.#end(displaced);
    }
    this.#byNetwork.set(network, siblings.add(socket));
    this.#strangers.add(socket);
    this.#open.set(socket, { network, proven: false, inWork: 0 });
    socket.once('close', () => this.#forget(socket));
  }

  /** The head of a request has come on it. */
  begin(socket: Socket): void {
    this.#ahead.delete(socket);
  }

  /** A request on it was admitted with a credential. */
  prove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.proven = true;
    this.#strangers.delete(socket);
  }

  /** A request on it is being answered; returns how to say that it was. */
  work(socket: Socket): () => void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return () => undefined;
    connection.inWork += 1;
    return () => {
      connection.inWork -= 1;
    };
  }

  /** The process is going to stop: strangers who have only begun to ask are not waited for, nor proxies that have not begun. */
  endStrangers(): void {
    for (const socket of this.#ahead) socket.destroy();
    for (const socket of [...this.#strangers]) if (this.#open.get(socket)?.inWork === 0) this.#end(socket);
  }

  #idleOf(sockets: ReadonlySet<Socket>): Socket | undefined {
    let known: Socket | undefined;
    for (const socket of sockets) {
      const connection = this.#open.get(socket);
      if (connection === undefined || connection.inWork > 0) continue;
      if (!connection.proven) return socket;
      known ??= socket;
    }
    return known;
  }

  #end(socket: Socket): void {
    this.#forget(socket);
    socket.destroy();
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#strangers.delete(socket);
    const siblings = this.#byNetwork.get(connection.network);
    siblings?.delete(socket);
    if (siblings?.size === 0) this.#byNetwork.delete(connection.network);
  }
}

/** Counts the connections of an app. A route's own hooks say when a request was admitted: `request.admitted`. */
export function boundConnections(app: FastifyInstance, connections: Connections): void {
  app.server.on('connection', (socket: Socket) => connections.accept(socket));
  app.server.on('request', ({ socket }: IncomingMessage) => connections.begin(socket));
  app.addHook('preClose', async () => {
    setTimeout(() => connections.endStrangers(), graceMillis).unref();
  });
  app.addHook('preParsing', (request, _, payload, done) => {
    if (request.admitted) connections.prove(request.raw.socket);
    done(null, payload);
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (!reply.raw.closed) reply.raw.once('close', connections.work(request.raw.socket));
    done();
  });
}
