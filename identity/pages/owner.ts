import type Provider from 'oidc-provider';
import type { Account } from '../accounts/account.ts';
import type { PageParts } from './parts.ts';
import type { Visit } from './visit.ts';

/** Somebody who is signed in at the provider and looks at the own account. */
export interface Owner {
  parts: PageParts;
  visit: Visit;
  session: Awaited<ReturnType<Provider['Session']['get']>>;
  account: Account;
}

export function accountPath(rest = ''): string {
  return `/oidc/account${rest}`;
}
