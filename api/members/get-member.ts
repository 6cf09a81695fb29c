import { operation } from '../engine/operation.ts';
import { memberAnswer, memberPath, memberSchema, theMember } from './member.ts';

export const getMember = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/members/{userId}',
  summary: 'Get a member',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: memberPath,
  result: memberSchema,
  async handle({ caller, path }) {
    caller.ownOrganization(path.id);
    return memberAnswer(await caller.see(theMember, path.userId));
  },
});
