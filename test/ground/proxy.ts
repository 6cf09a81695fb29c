import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy before a port or a unix socket, to take a real server away and give it back. */
export interface TcpProxy {
  address: string;
  /** Breaks every connection and refuses new ones, at the same port. */
  cut(): Promise<void>;
  /** Takes connections and never answers, as a machine does that hangs. */
  freeze(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** `target`: host and port, as in an address of PostgreSQL, which may name a directory of sockets for its host. */
export async function proxyTo(target: string): Promise<TcpProxy> {
  const [host = '', port = ''] = decodeURIComponent(target).split(':');
  const upstreamAt = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
  const sockets = new Set<Socket>();
  let frozen = false;
  let server: Server | undefined;
  let own = 0;

  function take(client: Socket): void {
    const ends = [client];
    if (!frozen) {
      const upstream = connect(upstreamAt);
      client.pipe(upstream).pipe(client);
      ends.push(upstream);
    }
    for (const end of ends) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        sockets.delete(end);
        for (const other of ends) other.destroy();
      });
    }
  }

  async function open(): Promise<void> {
    const opening = createServer(take);
    await new Promise<void>((resolve, reject) => {
      opening.once('error', reject);
      opening.listen(own, '127.0.0.1', resolve);
    });
    const address = opening.address();
    own = typeof address === 'object' && address ? address.port : 0;
    server = opening;
  }

  async function cut(): Promise<void> {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  }

  await open();
  return {
    address: `127.0.0.1:${own}`,
    cut,
    async freeze() {
      await cut();
      frozen = true;
      await open();
    },
    async restore() {
      await cut();
      frozen = false;
      await open();
    },
    close: cut,
  };
}
