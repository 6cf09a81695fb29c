import ipaddr from 'ipaddr.js';

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
