import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  {
    table: 'environment',
    columns: ['organization_id', 'project_id'],
    references: 'project',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'environment',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
];
