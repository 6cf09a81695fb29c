import { z } from 'zod';
import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { deletedRetentionSchema, retentionHours } from './deleted-retention.ts';
import { makeLast } from './lasting.ts';

export const setDeletedRetention = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/deleted-retention',
  summary: 'Set how long deleted things can be restored',
  description: 'An hour to a year. Earlier deletions keep their retention.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: organizationPath,
  body: z.strictObject({ hours: retentionHours }),
  result: deletedRetentionSchema,
  async handle({ caller, path, body, effect }) {
    await makeLast(effect, caller.ownOrganization(path.id).id, 'deletedRetentionHours', body.hours);
    return body;
  },
});
