import { resendInvitation as resend } from '../../db/invitations/invite.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { invitationAnswer, invitationPath, invitationWithToken, theInvitation } from './invitation.ts';

export const resendInvitation = operation({
  method: 'POST',
  url: '/api/v1/invitations/{id}/resend',
  summary: 'Resend an invitation',
  description:
    'The old token stops working, and the lifetime starts again. The new token is returned only in this answer: send it to the person. Only an owner can resend the invitation of an owner.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['not-found', 'invitation-over'],
  path: invitationPath,
  result: invitationWithToken,
  secretAnswer: ({ invitation }) => invitation.id,
  async handle({ caller, path, effect, server }) {
    const { id, organizationId } = await caller.see(theInvitation, path.id, effect.kysely);
    const again = await resend(effect, {
      organizationId,
      id,
      lifetimeMillis: server.settings.INVITATION_LIFETIME,
      asRole: caller.role,
    });
    if (again === undefined) throw new Problem('not-found', 'The invitation was revoked a moment ago.');
    return { invitation: invitationAnswer(again.invitation), token: again.token };
  },
});
