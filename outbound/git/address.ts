import { gitUrlFault } from '../../domain/git/address.ts';
import { OutboundRefused } from '../failures.ts';
import type { AddressRules } from '../rules.ts';
import { checkTarget } from '../target.ts';

/** Where a repository is fetched from, as it was checked; a name's addresses are checked when it is asked. */
export interface GitAddress {
  url: string;
  host: string;
}

/**
 * The address of a repository that a user gave: https alone, and plain http where the owner of the installation allows the
 * address. Of what git understands besides, nothing is taken: `ext::` runs programs, `file:` reads this machine.
 */
export function gitAddress(text: string, rules: AddressRules): GitAddress {
  const fault = gitUrlFault(text);
  if (fault !== undefined) throw new OutboundRefused(`The address of the repository ${fault}.`);
  const url = checkTarget(text, rules);
  return { url: url.href.replace(/\/+$/, ''), host: url.host };
}
