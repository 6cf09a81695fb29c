import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'trusted_issuer', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
];
