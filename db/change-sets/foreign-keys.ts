import type { ForeignKey } from '../postgres/foreign-keys.ts';

const of = (table: string, column: string, references: string): ForeignKey => ({
  table,
  columns: ['organization_id', column],
  references,
  referenced: ['organization_id', 'id'],
});

export const foreignKeys: readonly ForeignKey[] = [
  { ...of('draft', 'environment_id', 'environment'), onDelete: 'cascade' },
  { ...of('change_set_item', 'environment_id', 'environment'), onDelete: 'cascade' },
  { ...of('change_set_item', 'service_id', 'service'), onDelete: 'cascade' },
  of('change_set', 'project_id', 'project'),
];
