import net, { isIPv6 } from 'node:net';
import { getSystemErrorName } from 'node:util';

/** A socket that listens, and of which this process accepts nothing. */
export interface OpenSocket {
  readonly fd: number;
  readonly port: number;
  close(): void;
}

/** The port cannot be had; `code` is that of the operating system. */
export class CannotOpen extends Error {
  readonly code: string;

  constructor(code: string, listen: string, port: number) {
    super(`Port ${port} of ${listen} cannot be opened (${code}).`);
    this.code = code;
  }
}

/** The handle that Node's own servers have; a cluster's primary process makes it in the same way. */
interface Handle {
  readonly fd: number;
  listen(backlog: number): number;
  getsockname(into: { port?: number }): number;
  close(): void;
}
type CreateHandle = (address: string, port: number, family: 4 | 6) => Handle | number;
const { _createServerHandle: createHandle } = net as unknown as { _createServerHandle: CreateHandle };

/** As many as the system lets wait; it has a limit of its own. */
export const backlog = 4096;

/**
 * Binds and listens. It has to be passed on and closed in the same turn of the event loop, which accepts connections of what
 * it finds listening.
 */
export function openSocket(listen: string, port: number): OpenSocket {
  const handle = createHandle(listen, port, isIPv6(listen) ? 6 : 4);
  if (typeof handle === 'number') throw new CannotOpen(getSystemErrorName(handle), listen, port);
  const name: { port?: number } = {};
  // A port that is taken may show only here.
  const failure = handle.getsockname(name) || handle.listen(backlog);
  if (failure !== 0) {
    handle.close();
    throw new CannotOpen(getSystemErrorName(failure), listen, port);
  }
  return { fd: handle.fd, port: name.port ?? port, close: () => handle.close() };
}

/** The descriptor of a server that came from another process. */
export function descriptorOf(server: net.Server): number {
  const { _handle: handle } = server as unknown as { _handle: Handle | null };
  if (handle === null) throw new Error('The socket is closed.');
  return handle.fd;
}
