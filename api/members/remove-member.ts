import { z } from 'zod';
import { removeMember as remove } from '../../db/members/members.ts';
import { operation } from '../engine/operation.ts';
import { memberPath, theMember } from './member.ts';

export const removeMember = operation({
  method: 'DELETE',
  url: '/api/v1/organizations/{id}/members/{userId}',
  summary: 'Remove a member',
  description:
    'The person is refused from the next request on, leaves the teams, and open streams close. API tokens that the person created are revoked and returned; `GET /api/v1/api-tokens?live=true&createdBy=…` lists them beforehand. Invitations that the person created stay: revoke those that should not. Only an owner takes out owners, and the last one stays. To take oneself out is to leave.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'last-owner'],
  path: memberPath,
  result: z
    .object({ endedTokens: z.array(z.object({ id: z.guid(), name: z.string() })) })
    .meta({ id: 'MemberRemoved' }),
  async handle({ caller, path, effect }) {
    const { id: organizationId } = caller.ownOrganization(path.id);
    const { userId } = await caller.see(theMember, path.userId, effect.kysely);
    const endedTokens = await remove(effect, { organizationId, userId, asRole: caller.role });
    if (endedTokens === undefined) await caller.see(theMember, userId, effect.kysely);
    return { endedTokens: endedTokens ?? [] };
  },
});
