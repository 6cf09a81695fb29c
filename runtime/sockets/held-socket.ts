import { spawn } from 'node:child_process';
import net, { isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';

/**
 * A TCP socket that listens for as long as this process lives, and of which this process never accepts a connection. Its
 * descriptor is handed to one child after the other: while none is there, the kernel keeps who connects waiting.
 */
export interface HeldSocket {
  readonly address: string;
  readonly port: number;
  /** Throws once it is closed. */
  readonly fd: number;
  /** The children that have it keep it. */
  close(): void;
}

/** The port cannot be had; `code` is that of the operating system. */
export class CannotHold extends Error {
  readonly code: string;
  readonly port: number;
  readonly address: string;

  constructor(code: string, { port, address }: SocketAddress) {
    super(`Port ${port} of ${address} cannot be opened (${code}).`);
    this.code = code;
    this.port = port;
    this.address = address;
  }
}

export interface SocketAddress {
  /** 0: any that is free. */
  port: number;
  address: string;
}

/**
 * Holds all of these, or none. A bound socket alone would keep nobody out: until it listens, another process may bind the same
 * port and listen first. A server of Node would accept connections here, so a child that ends at once makes the sockets listen.
 */
export async function holdSockets(places: readonly SocketAddress[]): Promise<HeldSocket[]> {
  const held: HeldSocket[] = [];
  try {
    for (const place of places) held.push(bind(place));
    await listen(held);
    return held;
  } catch (error) {
    for (const one of held) one.close();
    throw error;
  }
}

/** The handle that Node itself binds before it listens; a cluster's primary process does the same. */
interface Handle {
  readonly fd: number;
  getsockname(into: { port?: number }): number;
  close(): void;
}
type CreateHandle = (address: string, port: number, family: 4 | 6) => Handle | number;
const { _createServerHandle: createHandle } = net as unknown as { _createServerHandle: CreateHandle };

function bind(place: SocketAddress): HeldSocket {
  const handle = createHandle(place.address, place.port, isIPv6(place.address) ? 6 : 4);
  if (typeof handle === 'number') throw new CannotHold(getSystemErrorName(handle), place);
  const name: { port?: number } = {};
  // A port that is taken shows only now.
  const failure = handle.getsockname(name);
  if (failure !== 0) {
    handle.close();
    throw new CannotHold(getSystemErrorName(failure), place);
  }
  let open = true;
  return {
    address: place.address,
    port: name.port ?? place.port,
    get fd() {
      // The descriptor's number may belong to another file by then.
      if (!open) throw new Error(`Port ${place.port} was given back.`);
      return handle.fd;
    },
    close() {
      if (open) handle.close();
      open = false;
    },
  };
}

const listener = fileURLToPath(new URL('listen.mjs', import.meta.url));
const firstInherited = 3;

async function listen(held: readonly HeldSocket[]): Promise<void> {
  if (held.length === 0) return;
  const numbers = held.map((_, index) => String(firstInherited + index));
  const child = spawn(process.execPath, [listener, ...numbers], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'ignore', ...held.map(({ fd }) => fd)],
  });
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  const [number = '', reason = 'unknown'] = said.split(' ');
  const refused = held[Number(number) - firstInherited] ?? held[0];
  throw new CannotHold(said === '' ? 'unknown' : reason, refused ?? { port: 0, address: '' });
}
