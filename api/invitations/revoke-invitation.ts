import { revokeInvitation as revoke } from '../../db/invitations/invite.ts';
import { operation } from '../engine/operation.ts';
import { invitationPath, theInvitation } from './invitation.ts';

export const revokeInvitation = operation({
  method: 'DELETE',
  url: '/api/v1/invitations/{id}',
  summary: 'Revoke an invitation',
  description: 'The token stops working at once. An accepted invitation cannot be revoked: remove the member.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'invitation-over'],
  path: invitationPath,
  async handle({ caller, path, effect }) {
    const { id, organizationId } = await caller.see(theInvitation, path.id, effect.kysely);
    const revoked = await revoke(effect, { organizationId, id, asRole: caller.role });
    if (!revoked) await caller.see(theInvitation, path.id, effect.kysely);
  },
});
