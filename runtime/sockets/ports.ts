import { createServer } from 'node:net';
import { portHolders } from '../../machine/port-holders.ts';
import { errorCode, Refusal } from '../supervisor/refusal.ts';
import type { CannotHold } from './held-socket.ts';

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
      port = anyInnerPort();
    }
    taken.add(port);
    ports[name] = port;
  }
  return ports as Record<Name, number>;
}

/** Why a port that people chose cannot be had, for them: with the name of its setting and, where it can be seen, who has it. */
export function portRefusal({ code, port, address }: CannotHold, setting: string): Refusal {
  if (code === 'EADDRINUSE') {
    return new Refusal(
      `Port ${port} of ${address} is taken by ${holderOf(port)}; stop it or set ${setting} to a free port.`,
    );
  }
  if (code === 'EACCES') {
    return new Refusal(`Port ${port} may not be opened by this user; set ${setting} to one above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL') {
    return new Refusal(`LISTEN is ${address}, which is not an address of this machine; set it to one, or to 0.0.0.0.`);
  }
  return new Refusal(`Port ${port} of ${address} cannot be opened (${code}); set ${setting} to another port.`);
}

function holderOf(port: number): string {
  const [holder] = portHolders(port);
  return holder === undefined ? 'another program' : `another program, ${holder.program} (process ${holder.pid})`;
}

/** A port out of the range for inner ones; whether it is free shows when it is opened. */
export function anyInnerPort(): number {
  return lowest + Math.floor(Math.random() * (highest - lowest + 1));
}

export function bindingError(port: number, address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errorCode(error) || error.message));
    server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
