import type { Kysely } from 'kysely';
import type { GitProvider } from '../../domain/git/connections.ts';
import { gitSignIn } from '../../domain/git/connections.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { mayUse, type UsedFor } from '../source-credentials/allowed-projects.ts';

/** What a connection is for: to read repositories of its host. */
export interface ConnectionAccess {
  id: string;
  provider: GitProvider;
  host: string;
  /** As its host's interface takes it. */
  token: string;
  /** As git signs in with it. */
  username: string;
  password: string;
}

/** The token of a connection; undefined if there is no such connection any more, or not for these projects. */
export async function connectionAccess(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  organizationId: string,
  { id, usedFor }: { id: string; usedFor: UsedFor },
): Promise<ConnectionAccess | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('git_connection')
    .select(['id', 'provider', 'host', 'sealed'])
    .where('id', '=', id)
    .where(mayUse('git_connection', usedFor))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { sealed, ...connection } = row;
  const token = await keyring.decryptSecret(organizationId, tokenPlace(id), sealed);
  return { ...connection, ...gitSignIn(connection.provider, token), token };
}

/** The secret with which its host signs what it tells of pushes. */
export async function webhookSecret(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('git_connection')
    .select('sealed_webhook as sealed')
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : await keyring.decryptSecret(organizationId, webhookPlace(id), row.sealed);
}

/** The places to which what is sealed is bound. */
export const tokenPlace = (id: string): string => `git_connection:${id}:sealed`;
export const webhookPlace = (id: string): string => `git_connection:${id}:sealed_webhook`;
