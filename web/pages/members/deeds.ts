import { after, type Deeds, fromTo } from '../audit-log/deed.ts';

export const kinds = { member: 'Members' };

export const deeds: Deeds<'member'> = {
  'member.added': {
    label: 'Added',
    done: ({ name, details, itself }) => `${itself ? 'joined' : `added ${name}`}${after(' as ', details.role)}`,
  },
  'member.role_changed': {
    label: 'Role changed',
    done: ({ name, details, itself }) =>
      `changed ${itself ? 'their own role' : `the role of ${name}`}${fromTo(details)}`,
  },
  'member.left': { label: 'Left', done: () => 'left the organization' },
  'member.removed': { label: 'Removed', done: ({ name }) => `removed ${name} from the organization` },
};
