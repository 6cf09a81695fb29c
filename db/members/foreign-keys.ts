import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('membership'),
  { table: 'membership', columns: ['user_id'], references: 'app_user', referenced: ['id'] },
];
