import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Effect } from '../engine/effect.ts';
import type { Tables } from '../postgres/tables.ts';

/** The claims about a person that a provider returned at sign-in. */
export interface Profile {
  name: string;
  email: string;
  emailVerified: boolean;
  picture: string | null;
  /** Whether this sign-in passed more than one factor. */
  mfa: boolean;
}

export interface KnownIdentity {
  id: string;
  userId: string;
  disabled: boolean;
}

/** Who somebody is here, by what the provider calls it. Nothing else identifies: e-mail addresses change hands. */
export async function findIdentity(
  kysely: Kysely<Tables>,
  providerId: string,
  subject: string,
): Promise<KnownIdentity | undefined> {
  return await kysely
    .selectFrom('identity')
    .innerJoin('app_user', 'app_user.id', 'identity.user_id')
    .select([
      'identity.id',
      'identity.user_id as userId',
      sql<boolean>`app_user.disabled_at is not null`.as('disabled'),
    ])
    .where('identity.provider_id', '=', providerId)
    .where('identity.subject', '=', subject)
    .executeTakeFirst();
}

/** The subjects by which a provider knows a user, oldest first. */
export async function subjectsOf(kysely: Kysely<Tables>, userId: string, providerId: string): Promise<string[]> {
  const rows = await kysely
    .selectFrom('identity')
    .select('subject')
    .where('user_id', '=', userId)
    .where('provider_id', '=', providerId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ subject }) => subject);
}

/** Makes a person who signs in for the first time. */
export async function createUser(effect: Effect, profile: Profile): Promise<{ id: string }> {
  const id = uuid();
  const { name, email, emailVerified, picture, mfa } = profile;
  await effect.kysely
    .insertInto('app_user')
    .values({ id, name, email, email_verified: emailVerified, picture, mfa })
    .execute();
  effect.audit('user.created', { id, name }, { email });
  return { id };
}

export async function bindIdentity(
  effect: Effect,
  identity: { providerId: string; subject: string; userId: string },
): Promise<{ id: string }> {
  const id = uuid();
  const { providerId, subject, userId } = identity;
  await effect.kysely
    .insertInto('identity')
    .values({ id, provider_id: providerId, subject, user_id: userId })
    .execute();
  effect.audit('identity.bound', { subjectKind: 'user', id: userId }, { providerId, identityId: id });
  return { id };
}

/** An account that has moved is opened by its new identity alone. */
export async function removeOtherIdentities(effect: Effect, userId: string, keptId: string): Promise<void> {
  const removed = await effect.kysely
    .deleteFrom('identity')
    .where('user_id', '=', userId)
    .where('id', '<>', keptId)
    .returning(['id', 'provider_id as providerId'])
    .execute();
  for (const { id, providerId } of removed) {
    effect.audit('identity.removed', { subjectKind: 'user', id: userId }, { providerId, identityId: id });
  }
}

/** Takes over what the provider says now, and notes the sign-in. */
export async function noteSignIn(
  effect: Effect,
  signIn: { userId: string; identityId: string; profile: Profile },
): Promise<void> {
  const { userId, identityId, profile } = signIn;
  await effect.kysely
    .updateTable('app_user')
    .set({
      name: profile.name,
      email: profile.email,
      email_verified: profile.emailVerified,
      picture: profile.picture,
      mfa: profile.mfa,
      last_sign_in_at: sql`now()`,
    })
    .where('id', '=', userId)
    .execute();
  await effect.kysely
    .updateTable('identity')
    .set({ last_sign_in_at: sql`now()` })
    .where('id', '=', identityId)
    .execute();
}
