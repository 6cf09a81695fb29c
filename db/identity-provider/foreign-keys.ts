import type { ForeignKey } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  {
    table: 'provider_passkey',
    columns: ['account_id'],
    references: 'provider_account',
    referenced: ['id'],
    onDelete: 'cascade',
  },
  {
    table: 'provider_recovery_code',
    columns: ['account_id'],
    references: 'provider_account',
    referenced: ['id'],
    onDelete: 'cascade',
  },
];
