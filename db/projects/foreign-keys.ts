import { type ForeignKey, toOrganization, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [toOrganization('project'), toRow('project', 'team_id', 'team')];
