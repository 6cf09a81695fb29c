import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import type { Role } from '../../domain/roles.ts';
import type { Effect } from '../engine/effect.ts';
import { hashSecret, newSecret } from '../keys/secrets.ts';
import { isMemberByEmail, lockMembers, refuseLowerRole } from '../members/members.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import { tenant } from '../postgres/tenant.ts';
import {
  alreadyAccepted,
  findInvitationOf,
  type InvitationView,
  lockInvitation,
  recordInvitation,
} from './invitations.ts';

export interface NewInvitation {
  organizationId: string;
  email: string;
  role: Role;
  lifetimeMillis: number;
  asRole: Role;
}

/** Invites a person. The token is returned here and stored nowhere. Throws a Problem where nobody can be invited. */
export async function createInvitation(
  effect: Effect,
  { organizationId, email, role, lifetimeMillis, asRole }: NewInvitation,
): Promise<{ invitation: InvitationView; token: string }> {
  const acting = await lockMembers(effect, organizationId, asRole);
  refuseLowerRole(acting, role === 'owner' ? 'owner' : 'admin');
  if (await isMemberByEmail(effect.kysely, organizationId, email)) {
    throw new Problem('already-member', `A person with the address ${email} is already a member of the organization.`);
  }
  const replaced = await revokeExpired(effect, organizationId, email);
  const id = uuid();
  const token = newSecret();
  try {
    await tenant(effect.kysely, organizationId)
      .insertInto('invitation')
      .values({
        id,
        email,
        role,
        token_hash: hashSecret(token),
        invited_by_id: effect.author.id,
        invited_by_name: effect.author.name,
        expires_at: after(lifetimeMillis),
      })
      .execute();
  } catch (error) {
    if (uniqueViolation(error) !== 'invitation_pending_unique') throw error;
    throw new Problem('conflict', `${email} is already invited: resend that invitation, or revoke it first.`);
  }
  recordInvitation(effect, 'invitation.created', { id, organizationId, email }, { role, ...replaced });
  return { invitation: await written(effect, organizationId, id), token };
}

/** Makes the invitation good again, with a new token: the old one is void. `undefined`: there is none. */
export async function resendInvitation(
  effect: Effect,
  { organizationId, id, lifetimeMillis, asRole }: Omit<NewInvitation, 'email' | 'role'> & { id: string },
): Promise<{ invitation: InvitationView; token: string } | undefined> {
  const acting = await lockMembers(effect, organizationId, asRole);
  const row = await lockInvitation(effect, organizationId, id);
  if (row === undefined) return undefined;
  if (row.acceptedAt !== null) throw alreadyAccepted();
  refuseLowerRole(acting, row.role === 'owner' ? 'owner' : 'admin');
  const token = newSecret();
  await tenant(effect.kysely, organizationId)
    .updateTable('invitation')
    .set({ token_hash: hashSecret(token), expires_at: after(lifetimeMillis) })
    .where('id', '=', id)
    .execute();
  recordInvitation(effect, 'invitation.resent', row);
  return { invitation: await written(effect, organizationId, id), token };
}

/** Takes it back: its token opens nothing any more. `false`: there is none. */
export async function revokeInvitation(
  effect: Effect,
  { organizationId, id, asRole }: { organizationId: string; id: string; asRole: Role },
): Promise<boolean> {
  refuseLowerRole(await lockMembers(effect, organizationId, asRole), 'admin');
  const row = await lockInvitation(effect, organizationId, id);
  if (row === undefined) return false;
  if (row.acceptedAt !== null) throw alreadyAccepted();
  await revoke(effect, organizationId, id);
  recordInvitation(effect, 'invitation.revoked', row);
  return true;
}

function after(milliseconds: number) {
  return sql<Date>`now() + make_interval(secs => ${milliseconds / 1000})`;
}

async function revoke(effect: Effect, organizationId: string, id: string): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('invitation')
    .set({ revoked_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** Nobody can accept it any more, so it does not stand in the way of a new one. */
async function revokeExpired(effect: Effect, organizationId: string, email: string): Promise<{ replaces?: string }> {
  const expired = await tenant(effect.kysely, organizationId)
    .updateTable('invitation')
    .set({ revoked_at: sql`now()` })
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst();
  if (expired === undefined) return {};
  effect.change({ organizationId, kind: 'invitation', id: expired.id });
  return { replaces: expired.id };
}

async function written(effect: Effect, organizationId: string, id: string): Promise<InvitationView> {
  const invitation = await findInvitationOf(effect.kysely, organizationId, id);
  if (invitation === undefined) throw new Error(`The invitation ${id} that was just written is not there.`);
  return invitation;
}
