import { type Affected, one } from '../../live/affected.ts';
import { after, type Deeds, type Kinds } from '../audit-log/deed.ts';

export const affected: Affected<'invitation'> = {
  invitation: (trpc, id) => [one(trpc.invitations, id)],
};

export const kinds: Kinds<'invitation'> = { invitation: 'Invitations' };

export const deeds: Deeds<'invitation'> = {
  'invitation.created': {
    label: 'Created',
    done: ({ name, details }) => `invited ${name}${after(' as ', details.role)}`,
  },
  'invitation.resent': {
    label: 'Link renewed',
    done: ({ name }) => `created a new link for the invitation of ${name}`,
  },
  'invitation.revoked': { label: 'Revoked', done: ({ name }) => `revoked the invitation of ${name}` },
  'invitation.accepted': { label: 'Accepted', done: ({ name }) => `accepted the invitation for ${name}` },
};
