import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { deletedRetentionSchema } from './deleted-retention.ts';
import { lastingOf } from './lasting.ts';

export const getDeletedRetention = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/deleted-retention',
  summary: 'Get how long deleted things can be restored',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: organizationPath,
  result: deletedRetentionSchema,
  async handle({ caller, path, database }) {
    return { hours: await lastingOf(database.kysely, caller.ownOrganization(path.id).id, 'deletedRetentionHours') };
  },
});
