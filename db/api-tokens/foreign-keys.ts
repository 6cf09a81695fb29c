import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'api_token', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  {
    table: 'api_token_project',
    columns: ['organization_id', 'api_token_id'],
    references: 'api_token',
    referenced: ['organization_id', 'id'],
    onDelete: 'cascade',
  },
];
