import type { ForeignKey } from '../postgres/foreign-keys.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'membership', columns: ['organization_id'], references: 'organization', referenced: ['id'] },
  { table: 'membership', columns: ['user_id'], references: 'app_user', referenced: ['id'] },
];
