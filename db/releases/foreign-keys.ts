import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = ['project', 'environment', 'service'].map((thing) => ({
  table: 'release',
  columns: ['organization_id', `${thing}_id`],
  references: thing,
  referenced: ['organization_id', 'id'],
}));
