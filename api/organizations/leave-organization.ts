import { removeMember } from '../../db/members/members.ts';
import { operation } from '../engine/operation.ts';
import { organizationPath } from './organization.ts';

export const leaveOrganization = operation({
  method: 'POST',
  url: '/api/v1/organizations/{id}/leave',
  summary: 'Leave the organization',
  description:
    'You lose access at once. API tokens that you created are revoked; invitations that you created stay. The last owner cannot leave.',
  scope: 'organization',
  role: 'viewer',
  credentials: 'session',
  why: 'An API token belongs to its organization and cannot leave it; revoke it instead.',
  projectTokens: 'refused',
  problems: ['not-found', 'last-owner'],
  path: organizationPath,
  async handle({ caller, path, effect }) {
    const { id: organizationId } = caller.ownOrganization(path.id);
    await removeMember(effect, { organizationId, userId: caller.id, asRole: caller.role });
  },
});
