import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'project', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'project',
    columns: ['organization_id', 'team_id'],
    references: 'team',
    referenced: ['organization_id', 'id'],
  },
];
