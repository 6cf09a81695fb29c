import { after, type Deeds, type Kinds, plainDeed, plainDeeds } from '../audit-log/deed.ts';

export const kinds: Kinds<'invitation'> = { invitation: 'Invitations' };

export const deeds: Deeds<'invitation'> = {
  ...plainDeeds('invitation', 'the invitation of'),
  'invitation.created': {
    label: 'Created',
    done: ({ name, details }) => `invited ${name}${after(' as ', details.role)}`,
  },
  'invitation.resent': plainDeed('Link renewed', 'created a new link for the invitation of'),
  'invitation.accepted': plainDeed('Accepted', 'accepted the invitation for'),
};
