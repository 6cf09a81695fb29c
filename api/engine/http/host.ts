import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Problem } from '../../../domain/problems.ts';

/**
 * A Host that is not ours is refused: a page of a stranger could otherwise have its own name resolve to this machine and
 * speak to us from a visitor's browser. Ours are loopback names, the host of PUBLIC_URL, and the very address that the
 * connection came in on, which no such trick can name.
 */
export function hostCheck(publicUrl: string): (request: IncomingMessage) => void {
  const known = new Set(['localhost', bare(new URL(publicUrl).hostname)]);
  return (request) => {
    const header = request.headers.host;
    if (header !== undefined && isKnown(known, header, request.socket.localAddress)) return;
    throw new Problem(
      'misdirected-host',
      'This installation is not known by the host name of the request; use its own address, or set PUBLIC_URL to this one.',
    );
  };
}

function isKnown(known: Set<string>, header: string, localAddress: string | undefined): boolean {
  const cached = header.lastIndexOf(':');
  const name = bare(cached > header.lastIndexOf(']') ? header.slice(0, cached) : header);
  if (known.has(name) || name.endsWith('.localhost')) return true;
  if (isIP(name) === 0) return false;
  return name.startsWith('127.') || name === '::1' || name === localAddress || `::ffff:${name}` === localAddress;
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
