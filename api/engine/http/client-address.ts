import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

export interface ClientAddress {
  /** Where the request comes from: the last hop that is not a trusted proxy. */
  of(request: IncomingMessage): string;
  comesThroughProxy(request: IncomingMessage): boolean;
  /** Whether the other end of a connection is a trusted proxy, which holds the connections of many. */
  isProxy(socket: Socket): boolean;
}

/** X-Forwarded-For is believed from the right, and only as far as each hop is one of `TRUSTED_PROXIES`. */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = trustedProxies.map(range);
  const isTrusted = (address: Address): boolean =>
    trusted.some((one) => address.kind() === one[0].kind() && address.match(one));

  const isProxy = (socket: Socket): boolean => {
    if (trusted.length === 0) return false;
    const address = parsed(socket.remoteAddress);
    return address !== undefined && isTrusted(address);
  };
  const peer = (request: IncomingMessage): Address | undefined => parsed(request.socket.remoteAddress);
  const find = (request: IncomingMessage): Address | undefined => {
    let current = peer(request);
    const header = request.headers['x-forwarded-for'];
    if (trusted.length === 0 || header === undefined) return current;
    const hops = String(header).split(',').reverse();
    for (const hop of hops) {
      if (current === undefined || !isTrusted(current)) return current;
      const next = parsed(hop.trim());
      if (next === undefined) return current;
      current = next;
    }
    return current;
  };
  return {
    of: (request) => (trusted.length === 0 ? plain(request) : (find(request)?.toString() ?? 'unknown')),
    comesThroughProxy: (request) => isProxy(request.socket),
    isProxy,
  };
}

function plain(request: IncomingMessage): string {
  const address = request.socket.remoteAddress ?? 'unknown';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

function parsed(address: string | undefined): Address | undefined {
  return address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

function range(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
