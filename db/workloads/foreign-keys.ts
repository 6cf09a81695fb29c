import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  {
    table: 'cluster_slice',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'ingress_host',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'internal_port',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
  {
    table: 'observed_slice',
    columns: ['organization_id', 'cluster_id'],
    references: 'cluster',
    referenced: ['organization_id', 'id'],
  },
];
