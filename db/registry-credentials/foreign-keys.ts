import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('registry_credential'),
  partOf('registry_allowed_project', 'credential_id', 'registry_credential'),
  partOf('registry_allowed_project', 'project_id', 'project'),
];
