import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'registry_credential', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
];
