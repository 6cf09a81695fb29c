import type { ForeignKey } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'session', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  { table: 'identity', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  { table: 'sign_in_link', columns: ['user_id'], references: 'app_user', referenced: ['id'], onDelete: 'cascade' },
  {
    table: 'sign_in_attempt',
    columns: ['sign_in_link_id'],
    references: 'sign_in_link',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  {
    table: 'sign_in_attempt',
    columns: ['invitation_id'],
    references: 'invitation',
    referenced: ['id'],
    onDelete: 'cascade',
  },
];
