/** The place where a program of an instance accepts connections. */
export interface ListeningSocket {
  address: string;
  port: number;
}

/** All places where the programs of an instance listen, found while nobody answered where it is asked. */
export interface Listening {
  /** The port that it is given as PORT, and asked at. */
  port: number;
  /** The instance has a network of its own, whose loopback only its programs reach; otherwise it is asked on 127.0.0.1. */
  ownNetwork: boolean;
  /** Its process has a fixed port, or the cluster could give it one. Absent: it cannot. */
  fixedPort?: 'used' | 'possible' | undefined;
  sockets: readonly ListeningSocket[];
}

/** So many are told of one instance. */
export const mostSockets = 20;
const mostNamed = 3;

/** The reason why nobody answers, and what to do. Nothing: it listens where it is asked. */
export function listeningSentence({ port, ownNetwork, fixedPort, sockets }: Listening): string | undefined {
  if (sockets.length === 0) {
    return `It does not listen on any port: have it listen on PORT (${port}). Its log may say what it does instead.`;
  }
  const isAsked = ({ address }: ListeningSocket) => (ownNetwork ? !isLoopback(address) : isOnLoopback({ address }));
  const there = sockets.filter((socket) => socket.port === port);
  if (there.some(isAsked)) return undefined;
  const [near] = there;
  if (near !== undefined) {
    const only = `It listens on ${near.address} only`;
    return ownNetwork
      ? `${only}, which nothing outside of its container reaches: have it listen on 0.0.0.0.`
      : `${only}, and not on 127.0.0.1, where this cluster asks it: have it listen on 0.0.0.0.`;
  }
  const [first] = portsOf(sockets);
  const instead =
    ownNetwork || fixedPort === 'used'
      ? `or set the port of its process to ${first}`
      : fixedPort === 'possible'
        ? `or give its process the fixed port ${first} (port=${first} fixedPort=true)`
        : 'since each instance on this cluster has a port of its own';
  const open = sockets.some(isAsked) ? '' : ', and listen on 0.0.0.0';
  return `It listens on ${named(sockets, isAsked)}, not on PORT (${port}): have it read the variable PORT${open}, ${instead}.`;
}

/** Ports by themselves, and with the address where that is a fault of its own. */
function named(sockets: readonly ListeningSocket[], isAsked: (socket: ListeningSocket) => boolean): string {
  const open = new Set(sockets.filter(isAsked).map(({ port }) => port));
  const all = portsOf(sockets).map((port) => {
    const { address = '' } = sockets.find((socket) => socket.port === port) ?? {};
    return open.has(port) ? String(port) : `${address.includes(':') ? `[${address}]` : address}:${port}`;
  });
  const more = all.length - mostNamed;
  const told = [...all.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])];
  return told.length === 1 ? told.join() : `${told.slice(0, -1).join(', ')} and ${told.at(-1)}`;
}

function portsOf(sockets: readonly ListeningSocket[]): number[] {
  return [...new Set(sockets.map(({ port }) => port))].toSorted((one, other) => one - other);
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Whether a connection to 127.0.0.1 in the same network gets there. */
export function isOnLoopback({ address }: Pick<ListeningSocket, 'address'>): boolean {
  return address === '127.0.0.1' || address === '0.0.0.0' || address === '::';
}
