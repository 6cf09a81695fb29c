import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import {
  acceptInvitation as accept,
  findInvitationByToken,
  findInvitationOf,
  type InvitationView,
  listInvitations as invitationsOf,
} from '../../db/invitations/invitations.ts';
import {
  createInvitation as invite,
  resendInvitation as resend,
  revokeInvitation as revoke,
} from '../../db/invitations/invite.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { Problem } from '../../domain/problems.ts';
import { roles } from '../../domain/roles.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';

const theInvitation = resource('invitation', findInvitationOf);

const fields = {
  id: z.guid(),
  organizationId: z.guid(),
  email: z.string(),
  role: z.enum(roles),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  acceptedAt: z.iso.datetime().optional(),
};
const invitationSchema = z.object(fields).meta({ id: 'Invitation' });

const publicInvitationSchema = z
  .object({ ...fields, invitedByName: z.string(), organizationName: z.string() })
  .meta({ id: 'PublicInvitation' });

/** The answer where a new token is created. */
const invitationWithToken = z
  .object({
    invitation: invitationSchema,
    token: z.string().describe('Opens the invitation: send it to the person. Returned only in this answer.'),
  })
  .meta({ id: 'InvitationWithToken' });

/** A secret: a place in the path does not make it less of one. */
const invitationTokenPath = z.strictObject({
  token: z.string().max(200).meta({ writeOnly: true }).describe('The token that the invited person was sent.'),
});

const acceptInvitation = operation({
  method: 'POST',
  url: '/api/v1/invitations/{token}/accept',
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member. The e-mail address that the identity provider has verified must be the invited one, whatever the case.',
  scope: 'user',
  credentials: 'session',
  why: 'An invitation is for a person, and an API token is nobody in person; sign in and accept it then.',
  rate: 'credentials',
  problems: ['not-found', 'email-mismatch', 'invitation-over', 'already-member'],
  path: invitationTokenPath,
  async handle({ caller, path, effect }) {
    if (caller.person === undefined) throw new Problem('session-required', 'Sign in to accept an invitation.');
    await accept(effect, { token: path.token, user: caller.person });
  },
});

const createInvitation = operation({
  method: 'POST',
  url: '/api/v1/organizations/{id}/invitations',
  summary: 'Create an invitation',
  description:
    'The token is returned only in this answer: send it to the person, whose verified e-mail address must be the invited one. Ballast sends no e-mail. Only an owner can invite an owner. An expired invitation to this address is replaced.',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['not-found', 'already-member', 'conflict'],
  body: z.strictObject({
    email: z
      .string()
      .trim()
      .max(254)
      .check(z.email())
      .overwrite((email) => email.replace(/@.*/, (domain) => domain.toLowerCase())),
    role: z.enum(roles),
  }),
  status: 201,
  result: invitationWithToken,
  secretAnswer: ({ invitation }) => invitation.id,
  async handle({ caller, path, body, effect, server }) {
    const { id: organizationId } = caller.ownOrganization(path.id);
    await refuseBeyond(effect, {
      setting: 'INVITATIONS_PER_ORGANIZATION',
      most: server.settings.INVITATIONS_PER_ORGANIZATION,
      owner: organizationId,
      things: 'pending invitations of this organization',
      rows: sql`invitation where organization_id = ${organizationId} and accepted_at is null and revoked_at is null`,
      remedy: 'revoke one that is not needed',
    });
    return await invite(effect, {
      organizationId,
      ...body,
      lifetimeMillis: server.settings.INVITATION_LIFETIME,
      asRole: caller.role,
    });
  },
});

export const listInvitations = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/invitations',
  summary: 'List invitations, newest first',
  description: 'Open, expired and accepted ones; revoked ones are not listed.',
  role: 'admin',
  projectTokens: 'refused',
  query: z.strictObject({ q: soughtText('its e-mail') }),
  paged: { after: createdPosition },
  result: invitationSchema,
  async handle({ caller, path, database, query, page }) {
    const invitations = await invitationsOf(database.kysely, caller.ownOrganization(path.id).id, {
      ...oneMore(page),
      q: query.q,
    });
    return pageOf(invitations, page);
  },
});

const resendInvitation = operation({
  method: 'POST',
  url: '/api/v1/invitations/{id}/resend',
  summary: 'Resend an invitation',
  description:
    'The old token stops working, and the lifetime starts again. The new token is returned only in this answer: send it to the person. Only an owner can resend the invitation of an owner.',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['invitation-over'],
  of: theInvitation,
  result: invitationWithToken,
  secretAnswer: ({ invitation }) => invitation.id,
  async handle({ found: { id, organizationId }, caller, effect, server }) {
    const again = await resend(effect, {
      organizationId,
      id,
      lifetimeMillis: server.settings.INVITATION_LIFETIME,
      asRole: caller.role,
    });
    if (again === undefined) throw new Problem('not-found', 'The invitation was revoked a moment ago.');
    return again;
  },
});

const revokeInvitation = operation({
  method: 'DELETE',
  url: '/api/v1/invitations/{id}',
  summary: 'Revoke an invitation',
  description: 'The token stops working at once. An accepted invitation cannot be revoked: remove the member.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['invitation-over'],
  of: theInvitation,
  async handle({ found: { id, organizationId }, caller, path, effect }) {
    const revoked = await revoke(effect, { organizationId, id, asRole: caller.role });
    if (!revoked) await caller.see(theInvitation, path.id, effect.kysely);
  },
});

/** The invitation that a token opens, to whoever has that. */
export async function invitationOf(kysely: Kysely<Tables>, token: string): Promise<InvitationView> {
  const found = await findInvitationByToken(kysely, token);
  if (found !== undefined) return found;
  throw new Problem('not-found', 'There is no such invitation, or it was revoked; ask the person who invited you.');
}

const viewInvitation = operation({
  method: 'GET',
  url: '/api/v1/invitations/{token}',
  summary: 'Look up an invitation by its token',
  scope: 'public',
  rate: 'credentials',
  path: invitationTokenPath,
  result: publicInvitationSchema,
  async handle({ path, database }) {
    return await invitationOf(database.kysely, path.token);
  },
});

export const invitations = {
  list: listInvitations,
  create: createInvitation,
  revoke: revokeInvitation,
  resend: resendInvitation,
  view: viewInvitation,
  accept: acceptInvitation,
};
