import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OutboundFailed, OutboundRefused } from './failures.ts';
import type { AddressRules } from './rules.ts';

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** How names become addresses. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

const mostAddresses = 16;

export const resolveByDns: Resolve = async (host) => {
  try {
    return await lookup(host, { all: true, order: 'verbatim' });
  } catch {
    throw new OutboundFailed(`The host ${host} has no address; check its name.`);
  }
};

/**
 * Checks that need no look-up: the scheme, no password, and the range of a literal IP address (the URL parser has
 * normalized every notation of one).
 */
export function checkTarget(text: string, rules: AddressRules): URL {
  if (!URL.canParse(text)) throw new OutboundRefused('This is not a URL; write it as https://host/path.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundRefused(`The address must begin with https://, not ${url.protocol}//.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefused('The address must carry no user name and no password.');
  }
  if (url.protocol === 'http:' && rules.allowedRanges.length === 0) throw mustBeHttps(url.hostname);
  const host = literalOf(url);
  if (isIP(host) > 0) checkReach(url, [reachOf(host, rules.allowedRanges)], rules);
  return url;
}

/** The same for what is sent with a secret in it: by https only, in allowed ranges, too. */
export function checkHttpsTarget(text: string, rules: AddressRules): URL {
  const given = URL.canParse(text) ? new URL(text) : undefined;
  if (given?.protocol === 'http:') throw new OutboundRefused(`${given.hostname} must be reached by https://.`);
  return checkTarget(text, rules);
}

/** The addresses to connect to. All of a host's addresses must be fit to be reached, or none is used. */
export async function addressesOf(url: URL, rules: AddressRules, resolve: Resolve): Promise<ResolvedAddress[]> {
  const addresses = await resolved(url, resolve);
  checkReach(
    url,
    addresses.map(({ address }) => reachOf(address, rules.allowedRanges)),
    rules,
  );
  return addresses.slice(0, mostAddresses);
}

/** Those of a host's addresses that are fit to be reached. The others are left out; a host with none left is refused. */
export async function reachableAddressesOf(
  url: URL,
  rules: AddressRules,
  resolve: Resolve,
): Promise<ResolvedAddress[]> {
  const addresses = await resolved(url, resolve);
  const reachable = addresses.filter(({ address }) => reachOf(address, rules.allowedRanges) !== 'refused');
  if (reachable.length === 0) throw isPrivate(url.hostname, rules);
  return reachable.slice(0, mostAddresses);
}

async function resolved(url: URL, resolve: Resolve): Promise<ResolvedAddress[]> {
  const literal = literalOf(url);
  const family = isIP(literal);
  const addresses = family > 0 ? [{ address: literal, family }] : await resolve(url.hostname);
  if (addresses.length === 0) throw new OutboundFailed(`The host ${url.hostname} has no address; check its name.`);
  return addresses;
}

function checkReach(url: URL, reached: Reach[], rules: AddressRules): void {
  if (reached.includes('refused')) throw isPrivate(url.hostname, rules);
  if (url.protocol === 'http:' && reached.some((one) => one !== 'allowed')) throw mustBeHttps(url.hostname);
}

function literalOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

const byInstallation = 'the owner of the installation can allow it in OUTBOUND_ALLOWED_RANGES';

function isPrivate(host: string, { allowedBy = byInstallation }: AddressRules): OutboundRefused {
  return new OutboundRefused(`${host} is a private address; ${allowedBy}.`);
}

function mustBeHttps(host: string): OutboundRefused {
  return new OutboundRefused(`${host} must be reached by https://; plain http is for OUTBOUND_ALLOWED_RANGES only.`);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Of IPv6 only what is routed on the Internet: translated, tunnelled and old forms can carry any IPv4 address. */
const globalIpv6: Range = [ipaddr.parse('2000::'), 3];

/** Why an address that a user gave may not be reached. */
export type Reach = 'public' | 'allowed' | 'refused';

/** Whether an IP address, as a name was resolved to or as a URL spells it, is public, allowed by the owner, or neither. */
export function reachOf(address: string, allowedRanges: readonly string[]): Reach {
  // An IPv6 zone names an interface of this machine: never what a stranger should choose.
  if (address.includes('%') || !ipaddr.isValid(address)) return 'refused';
  const parsed = ipaddr.parse(address);
  const plain = ipaddr.process(address);
  const ranges = allowedRanges.map(rangeOf);
  if (ranges.some((range) => within(parsed, range) || within(plain, range))) return 'allowed';
  if (parsed.range() !== 'unicast') return 'refused';
  return parsed.kind() === 'ipv4' || within(parsed, globalIpv6) ? 'public' : 'refused';
}

function within(address: Address, range: Range): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
