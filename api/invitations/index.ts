import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { listInvitations } from './list-invitations.ts';
import { resendInvitation } from './resend-invitation.ts';
import { revokeInvitation } from './revoke-invitation.ts';
import { viewInvitation } from './view-invitation.ts';

export const invitations = {
  list: listInvitations,
  create: createInvitation,
  revoke: revokeInvitation,
  resend: resendInvitation,
  view: viewInvitation,
  accept: acceptInvitation,
};
