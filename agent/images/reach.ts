import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';
import { Refusal } from '../program/refusal.ts';
import { isLoopback } from './repository.ts';

/** Addresses of cloud metadata services beyond the link-local ones; their answers contain credentials. */
const metadata = new Set(['fd00:ec2::254', '100.100.100.200']);

/**
 * A registry may be private, but what it names, by redirects and realms, must not lead to what only this machine should
 * reach. Addresses are looked at when the connection is made, so that a name cannot mean something else by then.
 */
export function registryAgent(): Agent {
  return new Agent({
    connect: { lookup: checkedLookup, timeout: 15_000 },
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
    connections: 8,
  });
}

/** Checks what can be told without asking anybody. `plain` is whether http may be spoken. */
export function checkAddress(url: URL, from: URL, plain: boolean): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plain)) {
    throw new Refusal(`${from.host} leads to ${url.host} by ${url.protocol}//, but only https:// is spoken to it.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Refusal(`${from.host} leads to an address that carries a user name or a password.`);
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) > 0) checkReach(url.host, literal);
  if (isLoopback(url) && !isLoopback(from)) {
    throw new Refusal(`${from.host} leads to ${url.host}, which is this machine itself.`);
  }
}

const checkedLookup: LookupFunction = (host, options, answer) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answer(error, '');
    try {
      for (const { address } of addresses) checkReach(host, address);
    } catch (refused) {
      return answer(refused instanceof Error ? refused : new Error(String(refused)), '');
    }
    const [first] = addresses;
    if (options.all === true) answer(null, addresses);
    else answer(null, first?.address ?? '', first?.family);
  });
};

function checkReach(host: string, address: string): void {
  const plain = ipaddr.process(address.replace(/%.*$/, ''));
  const range = plain.range();
  if (range === 'linkLocal' || range === 'unspecified' || range === 'multicast' || metadata.has(plain.toString())) {
    throw new Refusal(`${host} is ${address}, an address that no registry has; it is not reached.`);
  }
}
