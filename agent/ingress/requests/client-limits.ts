import { isIP, isIPv6 } from 'node:net';
import { plainAddress } from '../trusted-proxies.ts';
import type { RequestHead } from './headers.ts';

export interface Limits {
  /** Open connections of one client. */
  connections: number;
  /** Requests of one client that are being answered; WebSockets count as connections only. */
  requests: number;
  /** Milliseconds without a byte of a body. */
  bodyPause: number;
  /** Milliseconds that a body may take in all, plus one second for each `bodyBytesPerSecond`. */
  bodyGrace: number;
  bodyBytesPerSecond: number;
}

/** Half of what one instance is sent at once: a single client cannot keep all others from it. */
export const usualLimits: Limits = {
  connections: 1024,
  requests: 512,
  bodyPause: 60_000,
  bodyGrace: 60_000,
  bodyBytesPerSecond: 500,
};

/** Counts what each client has open, so that one that has too much is refused and the others are not. */
export class ClientLimits {
  readonly limits: Limits;
  readonly #connections = new Map<string, number>();
  readonly #requests = new Map<string, number>();

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /**
   * Counts a connection until `disconnected`. One above the limit is told so with its first request; of a client with twice as
   * many, none is even read.
   */
  connected(address: string): 'admitted' | 'crowded' | 'refused' {
    const count = add(this.#connections, clientKey(address), 1);
    if (count <= this.limits.connections) return 'admitted';
    return count <= this.limits.connections * 2 ? 'crowded' : 'refused';
  }

  disconnected(address: string): void {
    add(this.#connections, clientKey(address), -1);
  }

  /** Counts a request until `ended`, whether it is admitted or not. */
  begun(client: string): boolean {
    return add(this.#requests, clientKey(client), 1) <= this.limits.requests;
  }

  ended(client: string): void {
    add(this.#requests, clientKey(client), -1);
  }
}

function add(counts: Map<string, number>, key: string, step: 1 | -1): number {
  const count = (counts.get(key) ?? 0) + step;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
  return count;
}

/** One household or machine gets a whole /64 of IPv6 addresses, and may use a new one for each connection. */
export function clientKey(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** The address of the client itself: the last one that no trusted proxy has, since clients can write all before it. */
export function clientOf(
  { address, headers }: Pick<RequestHead, 'address' | 'headers'>,
  trusts: (address: string) => boolean,
): string {
  if (!trusts(address)) return address;
  const told: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === 'x-forwarded-for') told.push(...(headers[at + 1] ?? '').split(','));
  }
  let client = address;
  for (const one of told.reverse()) {
    const named = plainAddress(one.trim());
    if (isIP(named) === 0) break;
    client = named;
    if (!trusts(named)) break;
  }
  return client;
}
