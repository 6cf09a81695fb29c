import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'data_key', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
];
