import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('api_token'),
  partOf('api_token_project', 'api_token_id', 'api_token'),
];
