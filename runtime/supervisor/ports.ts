import { createServer } from 'node:net';
import { errorCode, Refusal } from './refusal.ts';

/**
 * Inner ports come from below the range out of which systems pick the ports of outgoing connections. A client that tries
 * again and again to reach a dead server on a port of that range ends up connected to itself, and the server can never
 * have its port back.
 */
const lowest = 20_000;
const highest = 29_999;

/** Ports for the given names: those that were kept, where they are still free, and new ones; none of the others. */
export async function freePorts<Name extends string>(
  names: readonly Name[],
  kept: Partial<Record<Name, number>>,
  others: readonly number[] = [],
): Promise<Record<Name, number>> {
  const taken = new Set(others);
  const ports: Partial<Record<Name, number>> = {};
  for (const name of names) {
    let port = kept[name];
    while (port === undefined || taken.has(port) || (await bindingError(port, '127.0.0.1')) !== undefined) {
      port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    }
    taken.add(port);
    ports[name] = port;
  }
  return ports as Record<Name, number>;
}

/** Throws a refusal when the API could not listen there. */
export async function refuseBusyPort(port: number, address: string): Promise<void> {
  const code = await bindingError(port, address);
  if (code === undefined) return;
  if (code === 'EADDRINUSE') {
    throw new Refusal(`Port ${port} of ${address} is taken by another program; stop it or set PORT to a free port.`);
  }
  if (code === 'EACCES') {
    throw new Refusal(`Port ${port} may not be opened by this user; set PORT to one above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL') {
    throw new Refusal(`LISTEN is ${address}, which is no address of this machine; set it to one, or to 0.0.0.0.`);
  }
  throw new Refusal(`Port ${port} of ${address} cannot be opened (${code}); set PORT and LISTEN to others.`);
}

export function bindingError(port: number, address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errorCode(error) || error.message));
    server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
