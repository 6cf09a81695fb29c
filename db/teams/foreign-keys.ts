import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('team'),
  partOf('team_member', 'team_id', 'team'),
  {
    table: 'team_member',
    columns: ['organization_id', 'user_id'],
    references: 'membership',
    referenced: ['organization_id', 'user_id'],
    onDelete: 'cascade',
  },
];
