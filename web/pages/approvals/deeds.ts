import { type Deeds, plainDeed } from '../audit-log/deed.ts';

export const kinds = { approval: 'Approvals' };

export const deeds: Deeds<'approval'> = {
  'approval.requested': plainDeed('Requested', 'requested approval in'),
  'approval.decided': {
    label: 'Decided',
    done: ({ name, details }) => `${details.decision === 'approved' ? 'approved' : 'rejected'} a change of ${name}`,
  },
  'approval.glass_broken': plainDeed('Passed by break-glass', 'broke the glass for a change of', { reason: ': ' }),
};
