import { isIP } from 'node:net';
import { plainAddress } from '../trusted-proxies.ts';
import type { Asked } from './asked.ts';

/** The address of the client itself: the last one that no trusted proxy has, since clients can write all before it. */
export function clientOf(
  { address, headers }: Pick<Asked, 'address' | 'headers'>,
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
