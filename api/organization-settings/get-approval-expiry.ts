import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { approvalExpirySchema } from './approval-expiry.ts';
import { lastingOf } from './lasting.ts';

export const getApprovalExpiry = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/approval-expiry',
  summary: 'Get how long an approval waits before it expires',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: organizationPath,
  result: approvalExpirySchema,
  async handle({ caller, path, database }) {
    return { hours: await lastingOf(database.kysely, caller.ownOrganization(path.id).id, 'approvalExpiryHours') };
  },
});
