import { OutboundRefused } from '../failures.ts';
import type { AddressRules } from '../rules.ts';
import { checkTarget } from '../target.ts';

/** Where a repository is fetched from, as it was checked; a name's addresses are checked when it is asked. */
export interface GitAddress {
  url: string;
  host: string;
}

const longest = 2_000;

/**
 * The address of a repository that a user gave: https alone, and plain http where the owner of the installation allows the
 * address. Of what git understands besides, nothing is taken: `ext::` runs programs, `file:` reads this machine.
 */
export function gitAddress(text: string, rules: AddressRules): GitAddress {
  if (text.length > longest)
    throw new OutboundRefused(`The address of a repository has at most ${longest} characters.`);
  if (/^ssh:|^git@|^[\w.-]+@[\w.-]+:/i.test(text)) {
    throw new OutboundRefused('Repositories are fetched by https: write https://host/team/app.git instead of ssh.');
  }
  if (/[\s\p{Cc}\\]/u.test(text)) throw new OutboundRefused('The address must have no blank and no backslash.');
  const url = checkTarget(text, rules);
  if (url.search !== '' || url.hash !== '') {
    throw new OutboundRefused('The address of a repository has no query and no fragment.');
  }
  if (url.pathname === '/') throw new OutboundRefused('The address names a host and no repository.');
  return { url: url.href.replace(/\/+$/, ''), host: url.host };
}
