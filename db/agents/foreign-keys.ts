import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  {
    table: 'cluster_agent',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'enrollment_token',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
];
