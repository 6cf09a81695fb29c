import type { Author } from '../../db/engine/author.ts';
import type { Account } from './account.ts';

/** Who stands in the audit log for what is done at the provider: the user, once the account is somebody's. */
export function authorOf(account: Pick<Account, 'name' | 'userId'> | undefined, address: string): Author {
  if (account?.userId == null) return { kind: 'machine', id: 'identity', name: 'Built-in provider', ip: address };
  return { kind: 'user', id: account.userId, name: account.name, ip: address };
}
