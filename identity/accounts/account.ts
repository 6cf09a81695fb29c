import { type Kysely, sql } from 'kysely';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { isId } from '../../domain/ids.ts';

export interface Account {
  /** The provider's `sub`. */
  id: string;
  name: string;
  email: string;
  /** Somebody has vouched for it: until then the person only claims it. */
  emailVerified: boolean;
  passwordHash: string;
  hasAuthenticatorApp: boolean;
  passkeys: number;
  /** Those that are not used yet. */
  recoveryCodes: number;
  /** The user who signs in with it; none before the first sign-in is done. */
  userId: string | null;
  passwordChangedAt: Date;
}

export async function findAccount(kysely: Kysely<Tables>, id: string): Promise<Account | undefined> {
  if (!isId(id)) return undefined;
  return await accounts(kysely).where('provider_account.id', '=', id).executeTakeFirst();
}

/** Case does not matter. */
export async function findAccountByEmail(kysely: Kysely<Tables>, email: string): Promise<Account | undefined> {
  return await accounts(kysely)
    .where(sql<string>`lower(provider_account.email)`, '=', sql<string>`lower(${email})`)
    .executeTakeFirst();
}

/** The account by which this user signs in. */
export async function findAccountOfUser(kysely: Kysely<Tables>, userId: string): Promise<Account | undefined> {
  return await accounts(kysely).where('identity.user_id', '=', userId).executeTakeFirst();
}

export function hasSecondFactor(account: Account): boolean {
  return account.hasAuthenticatorApp || account.passkeys > 0;
}

function accounts(kysely: Kysely<Tables>) {
  return kysely
    .selectFrom('provider_account')
    .leftJoin('identity', (join) =>
      join
        .on('identity.provider_id', '=', builtInProviderId)
        .on('identity.subject', '=', sql<string>`provider_account.id::text`),
    )
    .select([
      'provider_account.id',
      'provider_account.name',
      'provider_account.email',
      'provider_account.password_hash as passwordHash',
      'provider_account.password_changed_at as passwordChangedAt',
      'identity.user_id as userId',
      sql<boolean>`provider_account.email_verified_at is not null`.as('emailVerified'),
      sql<boolean>`provider_account.totp_secret is not null`.as('hasAuthenticatorApp'),
      sql<number>`(select count(*)::int from provider_passkey where account_id = provider_account.id)`.as('passkeys'),
      sql<number>`(select count(*)::int from provider_recovery_code
                   where account_id = provider_account.id and used_at is null)`.as('recoveryCodes'),
    ]);
}
