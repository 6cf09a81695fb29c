import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('git_connection'),
  partOf('git_allowed_project', 'git_connection_id', 'git_connection'),
  partOf('git_allowed_project', 'project_id', 'project'),
  partOf('git_delivery', 'git_connection_id', 'git_connection'),
];
