import { z } from 'zod';
import { withWas } from '../engine/input/meanwhile.ts';
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
  problems: ['not-found', 'changed-meanwhile'],
  path: organizationPath,
  body: withWas(z.strictObject({ hours: retentionHours })),
  result: deletedRetentionSchema,
  async handle({ caller, path, body, effect }) {
    const { was, ...wanted } = body;
    await makeLast(effect, caller.ownOrganization(path.id).id, 'deletedRetentionHours', {
      field: 'hours',
      wanted,
      was,
    });
    return wanted;
  },
});
