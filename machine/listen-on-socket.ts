import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The message is a sentence for people. */
export class SocketTaken extends Error {
  override readonly name = 'SocketTaken';
}

/**
 * Has an HTTP server serve a unix socket, besides a port of its own if it has one. `setting` names the path in messages. A file that was left behind by a process that
 * was killed is replaced. Answers how to stop listening there, at once; connections are the server's own to end, which does not
 * wait for those of this socket: the promise does.
 */
export async function listenOnSocket(http: Server, path: string, setting: string): Promise<() => Promise<void>> {
  const server = createServer((socket) => void http.emit('connection', socket));
  await listen(server, path).catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) {
      const why = error instanceof Error ? error.message : String(error);
      throw new SocketTaken(`${setting} ${path} cannot be opened (${why}); choose a path that this user can write.`);
    }
    if (await isServed(path)) {
      throw new SocketTaken(`${setting} ${path} is served by another process; stop that one, or choose another path.`);
    }
    rmSync(path, { force: true });
    await listen(server, path);
  });
  chmodSync(path, 0o600);
  http.once('close', () => server.close());
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function isServed(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket: Socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
