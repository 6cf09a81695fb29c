import { z } from 'zod';
import { operation } from '../engine/operation.ts';
import { deletedRetentionSchema, retentionHours } from './deleted-retention.ts';
import { makeLast } from './lasting.ts';
import { organizationPath } from './organization.ts';

export const setDeletedRetention = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/deleted-retention',
  summary: 'Say how long what is deleted can be had back',
  description: 'An hour to a year. What was deleted before keeps its time.',
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
