import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = ['project', 'environment'].map((thing) => ({
  table: 'approval',
  columns: ['organization_id', `${thing}_id`],
  references: thing,
  referenced: ['organization_id', 'id'],
}));
