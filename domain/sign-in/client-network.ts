/** Addresses that one client can hold many of count as one: an IPv6 network of 64 bits, as providers assign them. */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [whole = '', zone] = address.toLowerCase().split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(whole)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = whole.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = (text: readonly string[]) => text.reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups(before) - groups(after));
  const network = [...before, ...Array.from({ length: missing }, () => '0'), ...after].slice(0, 4);
  const plain = network.map((group) => group.replace(/^0+(?=.)/, ''));
  return `${plain.join(':')}::/64${zone === undefined ? '' : `%${zone}`}`;
}
