import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

/** Its subject may be deleted: the account of what was loosened stays, as long as its project. */
export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('guard_loosening'),
  partOf('guard_loosening', 'project_id', 'project'),
];
