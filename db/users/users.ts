import { type Kysely, sql } from 'kysely';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { Role } from '../../domain/roles.ts';
import type { Effect } from '../engine/effect.ts';
import { builtInProviderId } from '../keys/identity-secrets.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import { endSessionsOf } from '../sign-in/sessions.ts';

/** A person, as the operator of the installation sees one. */
export interface UserView {
  id: string;
  name: string;
  email: string;
  createdAt: Date;
  lastSignInAt: Date | null;
  disabledAt: Date | null;
  /** `built-in`, or issuers. */
  providers: string[];
  organizations: { slug: string; role: Role }[];
}

/** Everybody, the oldest first, or those with this id or e-mail address. Addresses need not be unique. */
export async function listUsers(
  kysely: Kysely<Tables>,
  which: { id?: string | undefined; email?: string | undefined } = {},
): Promise<UserView[]> {
  let query = kysely
    .selectFrom('app_user')
    .select([
      'id',
      'name',
      'email',
      'created_at as createdAt',
      'last_sign_in_at as lastSignInAt',
      'disabled_at as disabledAt',
      sql<string[]>`array(select provider_id from identity where user_id = app_user.id order by created_at, id)`.as(
        'providers',
      ),
      sql<UserView['organizations']>`coalesce((
        select json_agg(json_build_object('slug', organization.slug, 'role', membership.role) order by organization.slug)
        from membership
        join organization on organization.id = membership.organization_id and organization.deletion_id is null
        where membership.user_id = app_user.id), '[]')`.as('organizations'),
    ])
    .orderBy('created_at')
    .orderBy('id');
  if (which.id !== undefined) query = query.where('id', '=', which.id);
  if (which.email !== undefined) {
    query = query.where(sql<string>`lower(email)`, '=', sql<string>`lower(${which.email})`);
  }
  return await query.execute();
}

/** Who may act for some organization as its owner. */
export async function ownerEmails(kysely: Kysely<Tables>): Promise<string[]> {
  const rows = await acrossTenants(kysely)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select('app_user.email')
    .distinct()
    .where('membership.role', '=', 'owner')
    .orderBy('app_user.email')
    .limit(20)
    .execute();
  return rows.map(({ email }) => email);
}

/**
 * The slugs of the organizations that nobody else who may sign in owns. Whoever changes their owners waits until the
 * effect is over.
 */
export async function ownedAlone(effect: Effect, userId: string): Promise<string[]> {
  const owned = await acrossTenants(effect.kysely)
    .selectFrom('organization')
    .innerJoin('membership', 'membership.organization_id', 'organization.id')
    .select(['organization.id', 'organization.slug'])
    .where('membership.user_id', '=', userId)
    .where('membership.role', '=', 'owner')
    .where('organization.deletion_id', 'is', null)
    .orderBy('organization.id')
    .forNoKeyUpdate('organization')
    .execute();
  if (owned.length === 0) return [];
  const shared = await acrossTenants(effect.kysely)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select('membership.organization_id as id')
    .where(
      'membership.organization_id',
      'in',
      owned.map(({ id }) => id),
    )
    .where('membership.role', '=', 'owner')
    .where('membership.user_id', '<>', userId)
    .where('app_user.disabled_at', 'is', null)
    .execute();
  const others = new Set(shared.map(({ id }) => id));
  return owned.filter(({ id }) => !others.has(id)).map(({ slug }) => slug);
}

/**
 * From now on the person may not sign in, and is signed in nowhere; the API tokens that it made are refused until it is
 * enabled again. `false`: it was so already.
 */
export async function disableUser(effect: Effect, user: Pick<UserView, 'id' | 'name'>): Promise<boolean> {
  const disabled = await effect.kysely
    .updateTable('app_user')
    .set({ disabled_at: sql<Date>`now()` })
    .where('id', '=', user.id)
    .where('disabled_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  await endSessionsOf(effect, user.id);
  if (disabled === undefined) return false;
  await recheckStreamsOf(effect, user.id);
  record(effect, 'user.disabled', user);
  return true;
}

/** `false`: the person was not disabled. */
export async function enableUser(effect: Effect, user: Pick<UserView, 'id' | 'name'>): Promise<boolean> {
  const enabled = await effect.kysely
    .updateTable('app_user')
    .set({ disabled_at: null })
    .where('id', '=', user.id)
    .where('disabled_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (enabled === undefined) return false;
  record(effect, 'user.enabled', user);
  return true;
}

/**
 * The operator vouches for the e-mail address of an account of the built-in provider: from now on the address
 * opens invitations. `undefined`: the person has no such account. `false`: it was so already.
 */
export async function verifyEmail(effect: Effect, user: Pick<UserView, 'id' | 'name'>): Promise<boolean | undefined> {
  const account = await effect.kysely
    .selectFrom('provider_account')
    .innerJoin('identity', (join) =>
      join
        .on('identity.provider_id', '=', builtInProviderId)
        .on('identity.subject', '=', sql<string>`provider_account.id::text`),
    )
    .select(['provider_account.id', 'provider_account.email_verified_at as verifiedAt'])
    .where('identity.user_id', '=', user.id)
    .executeTakeFirst();
  if (account === undefined) return undefined;
  if (account.verifiedAt !== null) return false;
  await effect.kysely
    .updateTable('provider_account')
    .set({ email_verified_at: sql<Date>`now()` })
    .where('id', '=', account.id)
    .execute();
  await effect.kysely.updateTable('app_user').set({ email_verified: true }).where('id', '=', user.id).execute();
  record(effect, 'user.email_verified', user);
  return true;
}

function record(effect: Effect, action: AuditAction, { id, name }: Pick<UserView, 'id' | 'name'>): void {
  effect.audit(action, { id, name });
}

/** Streams of tokens that the person created: their processes check again whether the tokens are still valid. */
async function recheckStreamsOf(effect: Effect, userId: string): Promise<void> {
  const organizations = await acrossTenants(effect.kysely)
    .selectFrom('membership')
    .select('organization_id as organizationId')
    .where('user_id', '=', userId)
    .execute();
  for (const { organizationId } of organizations) {
    effect.change({ organizationId, kind: 'credential.changed', id: userId });
  }
}
