import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  {
    table: 'cluster_command',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'command_output',
    columns: ['organization_id', 'command_id'],
    references: 'cluster_command',
    referenced: ['organization_id', 'id'],
    onDelete: 'cascade',
  },
];
