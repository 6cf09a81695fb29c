import { z } from 'zod';
import { withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { approvalExpirySchema, expiryHours } from './approval-expiry.ts';
import { makeLast } from './lasting.ts';

export const setApprovalExpiry = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/approval-expiry',
  summary: 'Set how long an approval waits before it expires',
  description: 'An hour to 365 days, in hours of the clock. Approvals that wait already keep their time.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'changed-meanwhile'],
  path: organizationPath,
  body: withWas(z.strictObject({ hours: expiryHours })),
  result: approvalExpirySchema,
  async handle({ caller, path, body, effect }) {
    const { was, ...wanted } = body;
    await makeLast(effect, caller.ownOrganization(path.id).id, 'approvalExpiryHours', {
      field: 'hours',
      wanted,
      was,
    });
    return wanted;
  },
});
