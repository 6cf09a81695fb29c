import { z } from 'zod';
import { findInvitationOf, type InvitationView } from '../../db/invitations/invitations.ts';
import { roles } from '../../domain/roles.ts';
import { resource } from '../engine/resource.ts';

export const theInvitation = resource('invitation', findInvitationOf);

const fields = {
  id: z.guid(),
  organizationId: z.guid(),
  email: z.string(),
  role: z.enum(roles),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  acceptedAt: z.iso.datetime().optional(),
};
export const invitationSchema = z.object(fields).meta({ id: 'Invitation' });

export const publicInvitationSchema = z
  .object({ ...fields, invitedByName: z.string(), organizationName: z.string() })
  .meta({ id: 'PublicInvitation' });

/** The answer where a new token is created. */
export const invitationWithToken = z
  .object({
    invitation: invitationSchema,
    token: z.string().describe('Opens the invitation: send it to the person. Returned only in this answer.'),
  })
  .meta({ id: 'InvitationWithToken' });

export const invitationPath = z.strictObject({ id: z.guid() });
/** A secret: a place in the path does not make it less of one. */
export const invitationTokenPath = z.strictObject({
  token: z.string().max(200).meta({ writeOnly: true }).describe('The token that the invited person was sent.'),
});

export function invitationAnswer(invitation: InvitationView): z.output<typeof invitationSchema> {
  const { id, organizationId, email, role, createdAt, expiresAt, acceptedAt } = invitation;
  return {
    id,
    organizationId,
    email,
    role,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...(acceptedAt === null ? {} : { acceptedAt: acceptedAt.toISOString() }),
  };
}
