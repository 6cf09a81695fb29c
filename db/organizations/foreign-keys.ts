import type { ForeignKey } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'organization', columns: ['deletion_id'], references: 'deletion', referenced: ['id'] },
];
