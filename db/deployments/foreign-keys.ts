import type { ForeignKey } from '../postgres/foreign-keys.ts';

const of = (table: string, column: string, references: string): ForeignKey => ({
  table,
  columns: ['organization_id', column],
  references,
  referenced: ['organization_id', 'id'],
});

export const foreignKeys: readonly ForeignKey[] = [
  of('deployment', 'project_id', 'project'),
  of('deployment', 'service_id', 'service'),
  of('deployment', 'release_id', 'release'),
  { ...of('deployment_event', 'deployment_id', 'deployment'), onDelete: 'cascade' },
];
