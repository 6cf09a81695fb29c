import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createInvitation as invite } from '../../db/invitations/invite.ts';
import { roles } from '../../domain/roles.ts';
import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { invitationAnswer, invitationWithToken } from './invitation.ts';

export const createInvitation = operation({
  method: 'POST',
  url: '/api/v1/organizations/{id}/invitations',
  summary: 'Create an invitation',
  description:
    'The token is returned only in this answer: send it to the person, whose verified e-mail address must be the invited one. Ballast sends no e-mail. Only an owner can invite an owner. An expired invitation to this address is replaced.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['not-found', 'already-member', 'conflict'],
  path: organizationPath,
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
    const { invitation, token } = await invite(effect, {
      organizationId,
      ...body,
      lifetimeMillis: server.settings.INVITATION_LIFETIME,
      asRole: caller.role,
    });
    return { invitation: invitationAnswer(invitation), token };
  },
});
