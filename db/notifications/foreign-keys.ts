import type { ForeignKey } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  // The inbox of somebody who leaves goes, too. Its organization is that of the membership: a reference of its own would be
  // checked for each row of a burst.
  {
    table: 'notification',
    columns: ['organization_id', 'user_id'],
    references: 'membership',
    referenced: ['organization_id', 'user_id'],
    onDelete: 'cascade',
  },
];
