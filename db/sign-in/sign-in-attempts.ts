import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { hashSecret } from '../keys/secrets.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import type { SignInLinkKind } from './table.ts';

/** How long a browser may stay at the provider. */
export const attemptSeconds = 600;

/** A sign-in in progress, and its rights beyond signing in. */
export interface Attempt {
  id: string;
  returnTo: string;
  expiresAt: Date;
  /** A link of the command line that was used for it. One for the first owner is void once there is an owner. */
  link?: { id: string; kind: SignInLinkKind; user?: { id: string; email: string; name: string } };
  /** An invitation that can still be accepted. */
  invitation?: { id: string; email: string; organizationName: string; invitedByName: string; requireMfa: boolean };
}

export interface NewAttempt {
  browserHash: Buffer;
  stateHash: Buffer;
  returnTo: string;
  userAgent: string | undefined;
  signInLinkId?: string | undefined;
  invitationId?: string | undefined;
}

/** Notes that a browser is sent to the provider. An attempt that the same browser had begun before is replaced. */
export async function beginAttempt(
  kysely: Kysely<Tables>,
  attempt: NewAttempt,
  replacedId?: string,
): Promise<{ id: string }> {
  const id = uuid();
  if (replacedId !== undefined) await kysely.deleteFrom('sign_in_attempt').where('id', '=', replacedId).execute();
  await kysely
    .insertInto('sign_in_attempt')
    .values({
      id,
      browser_hash: attempt.browserHash,
      state_hash: attempt.stateHash,
      return_to: attempt.returnTo,
      user_agent: keptUserAgent(attempt.userAgent),
      sign_in_link_id: attempt.signInLinkId ?? null,
      invitation_id: attempt.invitationId ?? null,
      expires_at: sql`now() + make_interval(secs => ${attemptSeconds})`,
    })
    .execute();
  return { id };
}

/** The unexpired attempt that a `state` belongs to. */
export async function attemptOfState(kysely: Kysely<Tables>, state: string): Promise<Attempt | undefined> {
  return await openAttempt(kysely, 'state_hash', hashSecret(state));
}

/** The unexpired attempt of the browser with this cookie. */
export async function attemptOfBrowser(kysely: Kysely<Tables>, browserHash: Buffer): Promise<Attempt | undefined> {
  return await openAttempt(kysely, 'browser_hash', browserHash);
}

/**
 * Gives what the attempt may do beyond signing in to one interaction at the provider, the first. The `state` stands in
 * addresses, and so in logs: whoever reads it there comes too late.
 */
export async function claimAttempt(kysely: Kysely<Tables>, id: string, interactionId: string): Promise<boolean> {
  const hash = hashSecret(interactionId);
  const claimed = await kysely
    .updateTable('sign_in_attempt')
    .set({ interaction_hash: hash })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('interaction_hash', 'is', null), eb('interaction_hash', '=', hash)]))
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export interface TakenAttempt {
  id: string;
  stateHash: Buffer;
  returnTo: string;
  userAgent: string | null;
  signInLinkId: string | null;
  invitationId: string | null;
  expired: boolean;
}

/** Deletes and returns the attempt of the browser with this cookie: a second caller with the same cookie finds none. */
export async function takeAttempt(kysely: Kysely<Tables>, browserHash: Buffer): Promise<TakenAttempt | undefined> {
  return await kysely
    .deleteFrom('sign_in_attempt')
    .where('browser_hash', '=', browserHash)
    .returning([
      'id',
      'state_hash as stateHash',
      'return_to as returnTo',
      'user_agent as userAgent',
      'sign_in_link_id as signInLinkId',
      'invitation_id as invitationId',
      sql<boolean>`expires_at <= now()`.as('expired'),
    ])
    .executeTakeFirst();
}

/** A user agent as it is kept: what is compared must have been cut at the same place. */
export function keptUserAgent(userAgent: string | undefined): string | null {
  return userAgent?.slice(0, 500) ?? null;
}

async function openAttempt(
  kysely: Kysely<Tables>,
  by: 'state_hash' | 'browser_hash',
  hash: Buffer,
): Promise<Attempt | undefined> {
  const row = await acrossTenants(kysely)
    .selectFrom('sign_in_attempt as attempt')
    .leftJoin('sign_in_link as link', (join) =>
      join
        .onRef('link.id', '=', 'attempt.sign_in_link_id')
        .on(
          sql<boolean>`(link.kind <> 'first-owner' or not exists (select /* across tenants */ from membership where role = 'owner'))`,
        ),
    )
    .leftJoin('app_user', 'app_user.id', 'link.user_id')
    .leftJoin('invitation', (join) =>
      join
        .onRef('invitation.id', '=', 'attempt.invitation_id')
        .on('invitation.accepted_at', 'is', null)
        .on('invitation.revoked_at', 'is', null)
        .on(sql<boolean>`invitation.expires_at > now()`),
    )
    .leftJoin('organization', (join) =>
      join.onRef('organization.id', '=', 'invitation.organization_id').on('organization.deletion_id', 'is', null),
    )
    .select([
      'attempt.id',
      'attempt.return_to as returnTo',
      'attempt.expires_at as expiresAt',
      'link.id as linkId',
      'link.kind as linkKind',
      'app_user.id as userId',
      'app_user.email as userEmail',
      'app_user.name as userName',
      'invitation.id as invitationId',
      'invitation.email as invitationEmail',
      'invitation.invited_by_name as invitedByName',
      'organization.name as organizationName',
      'organization.require_mfa as requireMfa',
    ])
    .where(`attempt.${by}`, '=', hash)
    .where('attempt.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, returnTo, expiresAt, linkId, linkKind, userId, userEmail, userName } = row;
  const { invitationId, invitationEmail, invitedByName, organizationName, requireMfa } = row;
  const attempt: Attempt = { id, returnTo, expiresAt };
  if (linkId !== null && linkKind !== null) {
    attempt.link = { id: linkId, kind: linkKind };
    if (userId !== null && userEmail !== null && userName !== null) {
      attempt.link.user = { id: userId, email: userEmail, name: userName };
    }
  }
  // Without its organization there is nothing to accept.
  if (invitationId !== null && invitationEmail !== null && invitedByName !== null && organizationName !== null) {
    attempt.invitation = {
      id: invitationId,
      email: invitationEmail,
      organizationName,
      invitedByName,
      requireMfa: requireMfa ?? false,
    };
  }
  return attempt;
}
