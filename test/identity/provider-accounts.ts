import { v7 as uuid } from 'uuid';
import { effect } from '../../db/engine/effect.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { createSignInLink, useSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { createAccount } from '../../identity/accounts/create-account.ts';
import { hashPassword } from '../../identity/accounts/passwords/password.ts';
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

const hashes = new Map<string, Promise<string>>();

/** A hash costs a quarter of a second, and people of tests all have the same password. */
function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, known);
  return known;
}

/** A person who has an account and has signed in with it. */
export async function made(
  provider: BuiltInProvider,
  email: string,
  password: string,
  app?: 'with an app',
): Promise<MadePerson> {
  const { database, keyring } = provider;
  const passwordHash = await hashOf(password);
  const secret = newTotpSecret();
  const [code, next] = [totpOf(secret), totpOf(secret, 1)];
  const accountId = await effect(database, machine, async (effect) => {
    const { id } = await createAccount(effect, { name: 'Ada', email, passwordHash });
    if (app !== undefined) await addAuthenticatorApp(effect, keyring.identityKey(), id, { secret, code });
    return id;
  });
  const userId = await seedUser(database);
  await database.kysely
    .insertInto('identity')
    .values({ id: uuid(), provider_id: builtInProviderId, subject: accountId, user_id: userId })
    .execute();
  const begun = await provider.begin();
  await begun.browser.post(`${begun.path}/password`, { email, password });
  if (app !== undefined) await begun.browser.post(`${begun.path}/code`, { code: next });
  return { email, accountId, userId, browser: begun.browser, secret };
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
