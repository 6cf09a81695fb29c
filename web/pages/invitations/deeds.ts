import { type Deeds, plainDeed, plainDeeds } from '../audit-log/deed.ts';

export const kinds = { invitation: 'Invitations' };

export const deeds: Deeds<'invitation'> = {
  ...plainDeeds('invitation', 'the invitation of'),
  'invitation.created': plainDeed('Created', 'invited', { role: ' as ' }),
  'invitation.resent': plainDeed('Link renewed', 'created a new link for the invitation of'),
  'invitation.accepted': plainDeed('Accepted', 'accepted the invitation for'),
};
