import type { LookupFunction } from 'node:net';
import type { ResolvedAddress } from './target.ts';

/** Answers the connection's question for the name with what was checked, whatever the name means by now. */
export function pinned(addresses: ResolvedAddress[]): LookupFunction {
  return (_host, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, addresses);
    else answer(null, first?.address ?? '', first?.family);
  };
}
