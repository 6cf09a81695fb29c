import { sql } from 'kysely';
import type { Effect } from '../../db/engine/effect.ts';
import { endFirstOwnerRights, findRightsOfAccount } from '../../db/identity-provider/provider-accounts.ts';
import { acceptInvitation, findInvitation, type Invited } from '../../db/invitations/invitations.ts';
import { builtInProviderId } from '../../db/keys/identity-secrets.ts';
import { addMember } from '../../db/members/members.ts';
import { createOrganization, findOrganizationBySlug } from '../../db/organizations/organizations.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import {
  bindIdentity,
  createUser,
  findIdentity,
  noteSignIn,
  removeOtherIdentities,
} from '../../db/sign-in/identities.ts';
import { endSessionsOf } from '../../db/sign-in/sessions.ts';
import { findSignInLink, lockFirstOwner, ownerExists, type UsedSignInLink } from '../../db/sign-in/sign-in-links.ts';
import { Problem } from '../../domain/problems.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { Refusal } from './refusal.ts';
import type { SignedIn } from './signed-in.ts';

/** Makes somebody the first owner: of the organization `default`. */
export async function becomeFirstOwner(effect: Effect, userId: string): Promise<void> {
  await lockFirstOwner(effect.kysely);
  if (await ownerExists(effect.kysely)) {
    throw new Refusal(
      'owner-exists',
      'Somebody became the owner of this installation before you did, so the link has expired; ask to be invited.',
    );
  }
  await endFirstOwnerRights(effect);
  const organization =
    (await findOrganizationBySlug(effect.kysely, 'default')) ??
    (await createOrganization(effect, { name: 'Default', slug: 'default' }));
  // Without an owner nobody could remove or promote existing members.
  await tenant(effect.kysely, organization.id).deleteFrom('membership').where('user_id', '=', userId).execute();
  await addMember(effect, { organizationId: organization.id, userId, role: 'owner' });
}

/** Rights of this sign-in beyond signing in. */
interface Permission {
  signInLinkId: string | null;
  invitationId: string | null;
}

/**
 * Decides who somebody is here, and whether it may sign in at all. Nothing but the provider's subject identifies an
 * existing account; a new one takes a link, an invitation or a verified address of an admitted domain.
 */
export async function admitPerson(
  effect: Effect,
  settings: Settings,
  person: SignedIn,
  permission: Permission,
): Promise<{ userId: string }> {
  const { kysely } = effect;
  const { providerId, subject, profile } = person;
  // Two first sign-ins of one person at the same moment make one account.
  const key = JSON.stringify(['ballast identity', providerId, subject]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(kysely);
  const known = await findIdentity(kysely, providerId, subject);
  if (known?.disabled) throw disabled();
  const { signInLinkId } = permission;
  const link = signInLinkId === null ? undefined : await findSignInLink(kysely, signInLinkId);
  const kept = known === undefined && link === undefined ? await keptRights(kysely, person) : undefined;
  const invitationId = permission.invitationId ?? kept?.invitationId ?? null;
  const isFirstOwner = link?.kind === 'first-owner' || kept?.isFirstOwner === true;
  // An account that is made for an invitation may accept that one, and no other until its address is proved.
  const madeFor = known === undefined && link === undefined && providerId === builtInProviderId ? invitationId : null;
  const linked = link?.userId == null ? undefined : { ...link, userId: link.userId };

  let { id: identityId, userId } = known ?? { id: undefined, userId: undefined };
  if (linked !== undefined) {
    await refuseDisabled(effect, linked.userId);
    refuseOtherAccount(linked, userId);
    userId = linked.userId;
  } else if (userId === undefined) {
    userId = await newcomer(effect, settings, person, { isFirstOwner, invitationId, vouched: madeFor !== null });
  }
  identityId ??= (await bindIdentity(effect, { providerId, subject, userId })).id;
  if (linked !== undefined) {
    // The account may have belonged to somebody else until now.
    await endSessionsOf(effect, userId);
    if (linked.kind === 'move') await removeOtherIdentities(effect, userId, identityId);
  }
  await noteSignIn(effect, { userId, identityId, profile });
  if (isFirstOwner) await becomeFirstOwner(effect, userId);
  if (invitationId !== null) {
    const emailVerified = profile.emailVerified || madeFor === invitationId;
    await accept(effect, invitationId, { id: userId, email: profile.email, emailVerified });
  }
  return { userId };
}

/**
 * Rights of the attempt in which an account of the built-in provider was created, where that was left half way: a tab was
 * closed before the first sign-in was finished.
 */
async function keptRights(kysely: Effect['kysely'], { providerId, subject }: SignedIn) {
  if (providerId !== builtInProviderId) return undefined;
  const account = await findRightsOfAccount(kysely, subject);
  if (account === undefined) return undefined;
  const isFirstOwner = account.forFirstOwner && !(await ownerExists(kysely));
  const { forInvitation } = account;
  const invitation = forInvitation === null ? undefined : await findInvitation(kysely, forInvitation);
  // One that is over gives nothing, and stands in the way of nothing that lets this person in without it.
  const isOpen = invitation !== undefined && !invitation.expired && invitation.acceptedAt === null;
  return { isFirstOwner, invitationId: isOpen ? forInvitation : null };
}

/** Makes an account, if there is a reason to. */
async function newcomer(
  effect: Effect,
  settings: Settings,
  { profile }: SignedIn,
  by: { isFirstOwner: boolean; invitationId: string | null; vouched: boolean },
): Promise<string> {
  if (by.isFirstOwner) return (await createUser(effect, profile)).id;
  const { email, emailVerified } = profile;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const ofDomain = settings.SIGN_IN_EMAIL_DOMAINS.includes(domain);
  if (!emailVerified && !by.vouched && (by.invitationId !== null || ofDomain)) {
    throw new Refusal(
      'email-unverified',
      `Your identity provider does not vouch for your address ${email}, so it opens nothing here; have it verified there and sign in again.`,
    );
  }
  // Whether the invitation is for this address is checked when it is accepted; if it is not, nothing of this remains.
  if (by.invitationId !== null || ofDomain) return (await createUser(effect, profile)).id;
  throw await notInvited(effect, profile);
}

async function notInvited(effect: Effect, { email, emailVerified }: SignedIn['profile']): Promise<Refusal> {
  const same = await effect.kysely
    .selectFrom('app_user')
    .select('id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .limit(1)
    .executeTakeFirst();
  // Told only to the owner of the address.
  if (same !== undefined && emailVerified) {
    return new Refusal(
      'other-identity',
      `There is an account with the address ${email}, but this login is not bound to it; ask the operator of this installation for \`ballast admin link ${email}\`.`,
    );
  }
  if (!(await ownerExists(effect.kysely))) {
    return new Refusal(
      'no-owner',
      'This installation has no owner yet: open the sign-in link that it printed when it was started, or print another one with `ballast sign-in-link`.',
    );
  }
  return new Refusal(
    'not-invited',
    `You have no account here: ask an administrator of an organization to invite ${email}, and open the link of the invitation.`,
  );
}

function refuseOtherAccount(link: UsedSignInLink, userId: string | undefined): void {
  if (userId === link.userId || (link.kind === 'move' && userId === undefined)) return;
  throw new Refusal(
    'other-account',
    link.kind === 'move'
      ? 'This login belongs to another account here, so the account of the link cannot move to it; sign in with another login of the provider, with a new link.'
      : 'This login does not belong to the account that the link is for; sign in with that account, with a new link.',
  );
}

async function refuseDisabled(effect: Effect, userId: string): Promise<void> {
  const user = await effect.kysely
    .selectFrom('app_user')
    .select('disabled_at as disabledAt')
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user === undefined || user.disabledAt !== null) throw disabled();
}

async function accept(effect: Effect, invitationId: string, user: Invited): Promise<void> {
  try {
    await acceptInvitation(effect, { invitationId, user });
  } catch (error) {
    // Then there is nothing left to accept.
    if (error instanceof Problem && error.code === 'already-member') return;
    throw error;
  }
}

function disabled(): Refusal {
  return new Refusal('disabled', 'Your account is disabled; ask the operator of this installation to enable it again.');
}
