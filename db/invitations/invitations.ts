import { type Kysely, sql } from 'kysely';
import type { AuditAction } from '../../domain/audit-actions.ts';
import { Problem } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Effect } from '../engine/effect.ts';
import { hashSecret } from '../keys/secrets.ts';
import { addMember } from '../members/members.ts';
import { pageOf, type SoughtPage } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants, type OwnTables, tenant } from '../postgres/tenant.ts';
import { type Finder, foundColumns, hasWords } from '../search/finder.ts';

/** Open and expired ones: who accepted is a member. */
export const foundInvitations: Finder = {
  kind: 'invitation',
  select: (organizationId, text) => sql`
    select ${foundColumns(text, 'invitation', { id: sql`invitation.id`, name: sql`invitation.email`, state: sql`case when invitation.expires_at <= now() then 'expired' end` })}
    from invitation
    where invitation.organization_id = ${organizationId} and invitation.revoked_at is null and invitation.accepted_at is null`,
};

export interface InvitationView {
  id: string;
  organizationId: string;
  email: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date;
  acceptedAt: Date | null;
  invitedByName: string;
  organizationName: string;
  requireMfa: boolean;
  /** Whether its time is over, by PostgreSQL's clock. */
  expired: boolean;
}

/** One that was neither revoked nor belongs to a deleted organization; accepted and expired ones too. */
export async function findInvitation(kysely: Kysely<Tables>, id: string): Promise<InvitationView | undefined> {
  return await invitations(acrossTenants(kysely)).where('invitation.id', '=', id).executeTakeFirst();
}

export async function findInvitationByToken(
  kysely: Kysely<Tables>,
  token: string,
): Promise<InvitationView | undefined> {
  return await invitations(acrossTenants(kysely))
    .where('invitation.token_hash', '=', hashSecret(token))
    .executeTakeFirst();
}

export async function findInvitationOf(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<InvitationView | undefined> {
  return await invitations(tenant(kysely, organizationId)).where('invitation.id', '=', id).executeTakeFirst();
}

/**
 * The organization's invitations, newest first: open, expired and accepted ones, but not what was revoked. `q`: words of
 * their e-mail.
 */
export async function listInvitations(
  kysely: Kysely<Tables>,
  organizationId: string,
  page: SoughtPage,
): Promise<InvitationView[]> {
  const query = invitations(tenant(kysely, organizationId))
    .where(hasWords(page.q, [sql.ref('invitation.email')]))
    .$call(pageOf('invitation', 'newest', page));
  return await query.execute();
}

export interface Invited {
  id: string;
  email: string;
  emailVerified: boolean;
}

/**
 * Makes the invited person a member. Throws a Problem: `not-found` for an unknown or revoked one, `invitation-over`,
 * `email-mismatch`, `already-member`.
 */
export async function acceptInvitation(
  effect: Effect,
  by: ({ invitationId: string } | { token: string }) & { user: Invited },
): Promise<{ organizationId: string; role: Role }> {
  const find = () =>
    'token' in by ? findInvitationByToken(effect.kysely, by.token) : findInvitation(effect.kysely, by.invitationId);
  const seen = await find();
  if (seen === undefined) throw noInvitation();
  const { id, organizationId } = seen;
  // First the organization and then its row, like everybody else.
  await effect.kysely
    .selectFrom('organization')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .execute();
  await lockInvitation(effect, organizationId, id);
  const invitation = await find();
  if (invitation === undefined) throw noInvitation();
  if (invitation.acceptedAt !== null) throw alreadyAccepted();
  refuseOtherPerson(invitation, by.user);
  if (invitation.expired) {
    throw new Problem(
      'invitation-over',
      'This invitation has expired; ask the person who invited you to send it again.',
    );
  }
  await addMember(effect, { organizationId, userId: by.user.id, role: invitation.role, invitationId: id });
  await tenant(effect.kysely, organizationId)
    .updateTable('invitation')
    .set({ accepted_at: sql`now()`, accepted_by: by.user.id })
    .where('id', '=', id)
    .execute();
  recordInvitation(effect, 'invitation.accepted', invitation, { userId: by.user.id });
  return { organizationId, role: invitation.role };
}

function refuseOtherPerson(invitation: InvitationView, user: Invited): void {
  if (invitation.email.toLowerCase() !== user.email.toLowerCase()) {
    throw new Problem(
      'email-mismatch',
      `This invitation is for ${invitation.email}, and you are signed in as ${user.email}; sign in with the invited address, or ask for another invitation.`,
    );
  }
  if (user.emailVerified) return;
  throw new Problem(
    'email-mismatch',
    `Nobody has proved that the address ${user.email} is yours: have it verified with your identity provider, or, for an account of this installation, ask whoever runs it for \`ballast user verify --email ${user.email}\`; then sign in again.`,
  );
}

export function alreadyAccepted(): Problem {
  return new Problem('invitation-over', 'This invitation was already accepted; see the list of members.');
}

function noInvitation(): Problem {
  return new Problem('not-found', 'There is no such invitation, or it was revoked; ask the person who invited you.');
}

/** One that was not revoked. */
export async function lockInvitation(
  effect: Effect,
  organizationId: string,
  id: string,
): Promise<{ id: string; organizationId: string; email: string; role: Role; acceptedAt: Date | null } | undefined> {
  return await tenant(effect.kysely, organizationId)
    .selectFrom('invitation')
    .select(['id', 'organization_id as organizationId', 'email', 'role', 'accepted_at as acceptedAt'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Records a change of an invitation in the audit log, and tells open lists. */
export function recordInvitation(
  effect: Effect,
  action: AuditAction,
  { id, organizationId, email }: { id: string; organizationId: string; email: string },
  details?: Record<string, string>,
): void {
  effect.audit(action, { organizationId, id, name: email }, details);
  effect.change({ organizationId, kind: 'invitation', id });
}

function invitations(kysely: Kysely<OwnTables>) {
  return kysely
    .selectFrom('invitation')
    .innerJoin('organization', 'organization.id', 'invitation.organization_id')
    .select([
      'invitation.id',
      'invitation.organization_id as organizationId',
      'invitation.email',
      'invitation.role',
      'invitation.created_at as createdAt',
      'invitation.expires_at as expiresAt',
      'invitation.accepted_at as acceptedAt',
      'invitation.invited_by_name as invitedByName',
      'organization.name as organizationName',
      'organization.require_mfa as requireMfa',
    ])
    .select(sql<boolean>`invitation.expires_at <= now()`.as('expired'))
    .where('invitation.revoked_at', 'is', null)
    .where('organization.deletion_id', 'is', null);
}
