import { resendInvitation as resend } from '../../db/invitations/invite.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { invitationAnswer, invitationPath, invitationWithToken, theInvitation } from './invitation.ts';

export const resendInvitation = operation({
  method: 'POST',
  url: '/api/v1/invitations/{id}/resend',
  summary: 'Make an invitation good again, with a new token',
  description:
    'The old token is void, and the time begins anew. The new token is shown in this answer and never again: send it to the person. Only an owner does this with the invitation of an owner.',
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
