import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [toOrganization('data_key')];
