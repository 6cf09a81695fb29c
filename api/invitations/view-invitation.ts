import { findInvitationByToken } from '../../db/invitations/invitations.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { invitationAnswer, invitationTokenPath, publicInvitationSchema } from './invitation.ts';

export const viewInvitation = operation({
  method: 'GET',
  url: '/api/v1/invitations/{token}',
  summary: 'Look up an invitation by its token',
  scope: 'public',
  rate: 'credentials',
  problems: ['not-found'],
  path: invitationTokenPath,
  result: publicInvitationSchema,
  async handle({ path, database }) {
    const found = await findInvitationByToken(database.kysely, path.token);
    if (found === undefined) {
      throw new Problem('not-found', 'There is no such invitation, or it was revoked; ask the person who invited you.');
    }
    const { invitedByName, organizationName } = found;
    return { ...invitationAnswer(found), invitedByName, organizationName };
  },
});
