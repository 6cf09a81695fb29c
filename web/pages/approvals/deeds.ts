import { after, type Deeds, type Kinds, plainDeed } from '../audit-log/deed.ts';

export const kinds: Kinds<'approval'> = { approval: 'Approvals' };

export const deeds: Deeds<'approval'> = {
  'approval.requested': plainDeed('Requested', 'requested approval in'),
  'approval.decided': {
    label: 'Decided',
    done: ({ name, details }) => `${details.decision === 'approved' ? 'approved' : 'rejected'} a change of ${name}`,
  },
  'approval.glass_broken': {
    label: 'Passed by break-glass',
    done: ({ name, details }) => `broke the glass for a change of ${name}${after(': ', details.reason)}`,
  },
};
