import { z } from 'zod';
import { setTeamMembers as setMembers } from '../../db/teams/teams.ts';
import { operation } from '../engine/operation.ts';
import { notMembers, refuseManaged, teamAnswer, teamPath, teamSchema, theTeam } from './team.ts';

export const setTeamMembers = operation({
  method: 'PUT',
  url: '/api/v1/teams/{id}/members',
  summary: 'Set the members of a team',
  description: 'Replaces the whole list. Everybody in it must be a member of the organization.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'managed-elsewhere'],
  path: teamPath,
  body: z.strictObject({ userIds: z.array(z.guid().toLowerCase()).max(1000) }),
  result: teamSchema,
  async handle({ caller, path, body, effect }) {
    const team = await caller.see(theTeam, path.id, effect.kysely);
    refuseManaged(team);
    const result = await setMembers(effect, caller.organization.id, team.id, body.userIds);
    if (result === undefined) return teamAnswer(await caller.see(theTeam, path.id, effect.kysely));
    if (result.kind === 'set') return teamAnswer(result.team);
    throw notMembers('body.userIds', body.userIds, result.userIds);
  },
});
