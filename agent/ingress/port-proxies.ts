import { createServer, connect as openSocket, type Server, type Socket } from 'node:net';
import type { PortRoute } from './route.ts';

const firstWait = 50;
const longestWait = 2_000;
const connectMilliseconds = 5_000;

interface Proxy {
  route: PortRoute;
  server?: Server;
  retry?: NodeJS.Timeout;
  failure?: string;
}

/**
 * Ports of the loopback that lead to instances, whatever is said there. A port without an instance is closed, so that who
 * connects is refused; connections that are open stay with their instance until one of both sides ends.
 */
export class PortProxies {
  readonly #proxies = new Map<number, Proxy>();
  readonly #open = new Set<Socket>();
  #turn = 0;

  /** How many connections are open. */
  get connections(): number {
    return this.#open.size;
  }

  apply(routes: readonly PortRoute[]): void {
    const wanted = new Map(routes.filter(({ upstreams }) => upstreams.length > 0).map((route) => [route.port, route]));
    for (const [port, proxy] of this.#proxies) {
      if (wanted.has(port)) continue;
      close(proxy);
      this.#proxies.delete(port);
    }
    for (const [port, route] of wanted) {
      const proxy = this.#proxies.get(port);
      if (proxy !== undefined) proxy.route = route;
      else {
        const fresh: Proxy = { route };
        this.#proxies.set(port, fresh);
        this.#listen(fresh, firstWait);
      }
    }
  }

  /** The ports that cannot be opened, each with the reason. */
  failures(): Record<string, string> {
    return Object.fromEntries(
      [...this.#proxies].flatMap(([port, { failure }]) => (failure === undefined ? [] : [[String(port), failure]])),
    );
  }

  /** Another process of the ingress takes the ports; connections that are open go on. */
  leave(): void {
    this.apply([]);
  }

  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** The process before this one may still have the port: tried again until it is free. */
  #listen(proxy: Proxy, wait: number): void {
    const { port } = proxy.route;
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) =>
      this.#carry(proxy, client),
    );
    proxy.server = server;
    server.once('error', (error) => {
      proxy.failure = error.message;
      proxy.retry = setTimeout(() => this.#listen(proxy, Math.min(wait * 2, longestWait)), wait);
    });
    server.listen({ port, host: '127.0.0.1' }, () => {
      delete proxy.failure;
    });
  }

  #carry(proxy: Proxy, client: Socket): void {
    this.#open.add(client);
    client.once('close', () => this.#open.delete(client));
    client.on('error', () => client.destroy());
    this.#turn += 1;
    const { upstreams } = proxy.route;
    const turned = upstreams.map((_, index) => upstreams[(index + this.#turn) % upstreams.length]);
    this.#connect(turned, client);
  }

  /** Another one is tried only where nothing was said yet. */
  #connect([next, ...others]: (PortRoute['upstreams'][number] | undefined)[], client: Socket): void {
    if (next === undefined || client.destroyed) {
      client.resetAndDestroy();
      return;
    }
    const upstream = openSocket({ host: next.host, port: next.port, allowHalfOpen: true, noDelay: true });
    const late = setTimeout(() => upstream.destroy(new Error('It does not answer.')), connectMilliseconds);
    const failed = () => {
      clearTimeout(late);
      this.#connect(others, client);
    };
    upstream.once('error', failed);
    upstream.once('connect', () => {
      clearTimeout(late);
      upstream.off('error', failed);
      upstream.on('error', () => client.resetAndDestroy());
      upstream.once('close', () => client.destroy());
      client.once('close', () => upstream.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }
}

function close({ server, retry }: Proxy): void {
  clearTimeout(retry);
  server?.removeAllListeners('error').on('error', () => undefined);
  server?.close();
}
