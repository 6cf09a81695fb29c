import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'team', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'team_member',
    columns: ['organization_id', 'team_id'],
    references: 'team',
    referenced: ['organization_id', 'id'],
    onDelete: 'cascade',
  },
  {
    table: 'team_member',
    columns: ['organization_id', 'user_id'],
    references: 'membership',
    referenced: ['organization_id', 'user_id'],
    onDelete: 'cascade',
  },
];
