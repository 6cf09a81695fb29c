import type { ForeignKey } from '../postgres/foreign-keys.ts';

const of = (table: string, column: string, references: string): ForeignKey => ({
  table,
  columns: ['organization_id', column],
  references,
  referenced: ['organization_id', 'id'],
});

export const foreignKeys: readonly ForeignKey[] = [
  of('service', 'project_id', 'project'),
  { ...of('service_process', 'service_id', 'service'), onDelete: 'cascade' },
  of('environment_service', 'environment_id', 'environment'),
  of('environment_service', 'service_id', 'service'),
  of('environment_service', 'live_release_id', 'release'),
  of('variable', 'environment_id', 'environment'),
  { ...of('variable', 'service_id', 'service'), onDelete: 'cascade' },
];
