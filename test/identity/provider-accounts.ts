import { randomBytes, scryptSync } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { effect } from '../../db/engine/effect.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { createSignInLink, useSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { createAccount } from '../../identity/accounts/create-account.ts';
import { addAuthenticatorApp } from '../../identity/accounts/second-factors/second-factors.ts';
import { newTotpSecret } from '../../identity/accounts/second-factors/totp.ts';
import type { PageVisitor } from '../browsers/page-visitor.ts';
import { machine, seedMember, seedOrganization, seedUser } from '../seeds/seed.ts';
import type { BuiltInProvider } from './built-in-provider.ts';
import { totpOf } from './totp.ts';

/** A link of the command line that was used: an attempt may name it. */
export async function usedLink(
  { database }: BuiltInProvider,
  kind: 'first-owner' | 'move' | 'reset',
  userId?: string,
): Promise<string> {
  return await effect(database, machine, async (effect) => {
    const { secret } = await createSignInLink(effect, { kind, ...(userId === undefined ? {} : { userId }) });
    const used = await useSignInLink(effect, secret);
    if (used === undefined) throw new Error('The link was not usable.');
    return used.id;
  });
}

export interface MadePerson {
  email: string;
  accountId: string;
  userId: string;
  /** Signed in at the provider. */
  browser: PageVisitor;
  secret: string;
}

/** Of a cost that is outdated: one of today takes half a second, to make and for each password that is compared with it. */
export function outdatedHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  return `scrypt$1024$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** A person who has an account and is signed in with it. */
export async function made(
  provider: BuiltInProvider,
  email: string,
  password: string,
  app?: 'with an app',
): Promise<MadePerson> {
  const { database, keyring } = provider;
  const passwordHash = outdatedHash(password);
  const secret = newTotpSecret();
  const accountId = await effect(database, machine, async (effect) => {
    const { id } = await createAccount(effect, { name: 'Ada', email, passwordHash });
    if (app !== undefined)
      await addAuthenticatorApp(effect, keyring.identityKey(), id, { secret, code: totpOf(secret) });
    return id;
  });
  const userId = await seedUser(database);
  await database.kysely
    .insertInto('identity')
    .values({ id: uuid(), provider_id: builtInProviderId, subject: accountId, user_id: userId })
    .execute();
  return { email, accountId, userId, browser: await provider.signedIn(accountId), secret };
}

/** The purpose of an account. */
export async function rightsOf({ database }: BuiltInProvider, email: string) {
  return await database.kysely
    .selectFrom('provider_account')
    .select(['for_first_owner', 'for_invitation'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
}

export async function seedInvitation(
  { database }: BuiltInProvider,
  more: { email?: string; requireMfa?: boolean; organization?: string } = {},
): Promise<{ invitationId: string; email: string }> {
  const organizationId = await seedOrganization(database);
  const { requireMfa = false, organization = 'Acme' } = more;
  await database.kysely
    .updateTable('organization')
    .set({ require_mfa: requireMfa, name: organization })
    .where('id', '=', organizationId)
    .execute();
  const invitationId = uuid();
  const email = more.email ?? `${invitationId}@example.com`;
  await tenant(database.kysely, organizationId)
    .insertInto('invitation')
    .values({
      id: invitationId,
      email,
      role: 'viewer',
      token_hash: hashSecret(invitationId),
      invited_by_id: uuid(),
      invited_by_name: 'Grace',
      expires_at: new Date(Date.now() + 600_000),
    })
    .execute();
  return { invitationId, email };
}

export async function seedOwner({ database }: BuiltInProvider): Promise<void> {
  await seedMember(database, await seedOrganization(database), 'owner');
}
