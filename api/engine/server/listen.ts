import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../../domain/settings/settings.ts';

/** While nobody accepts, because the API is started again, this many connections wait; the system may allow fewer. */
const backlog = 4096;

/** The port cannot be opened. The message is for people. */
export class CannotListen extends Error {}

/**
 * Opens the doors of the API: the sockets that were handed to it, which listen already and are never closed while it is
 * started again, or its own at LISTEN and PORT. Answers where it listens.
 */
export async function listen(
  app: FastifyInstance,
  settings: Settings,
  sockets: readonly number[],
): Promise<{ port: number; address: string }> {
  const [first, ...others] = sockets;
  const doors = others.map((fd) => ({ fd, door: sideDoor(app) }));
  // The main server waits for connections of its own alone.
  let closed: Promise<unknown> = Promise.resolve();
  app.addHook('preClose', async () => {
    closed = Promise.all(doors.map(({ door }) => new Promise((resolve) => void door.close(resolve))));
  });
  app.addHook('onClose', async () => void (await closed));
  await app.ready();
  if (first === undefined) app.server.listen({ host: settings.LISTEN, port: settings.PORT, backlog });
  else app.server.listen({ fd: first }, backlog);
  await once(app.server, 'listening').catch((error: unknown) => {
    throw whyNotListening(error, settings);
  });
  for (const { fd, door } of doors) {
    door.listen({ fd }, backlog);
    await once(door, 'listening');
  }
  const { port, address } = app.server.address() as AddressInfo;
  return { port, address: `http://${isIPv6(address) ? `[${address}]` : address}:${port}` };
}

/** Connections of this server are handed to the main server, so that its limits count for them. */
function sideDoor(app: FastifyInstance): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket));
}

function whyNotListening(error: unknown, { PORT, LISTEN }: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new CannotListen(`PORT ${PORT} is taken by another program; stop that one, or choose another port.`);
  }
  if (code === 'EACCES') return new CannotListen(`PORT ${PORT} may not be opened by this user; choose one above 1023.`);
  if (code === 'EADDRNOTAVAIL') {
    return new CannotListen(`LISTEN ${LISTEN} is no address of this machine; choose one that is, or 0.0.0.0 for all.`);
  }
  return error;
}
