import { z } from 'zod';
import { changeTeamMembers as change } from '../../db/teams/teams.ts';
import { setChange } from '../engine/input/set-change.ts';
import { operation } from '../engine/operation.ts';
import { notMembers, refuseManaged, teamAnswer, teamPath, teamSchema, theTeam } from './team.ts';

export const changeTeamMembers = operation({
  method: 'PATCH',
  url: '/api/v1/teams/{id}/members',
  summary: 'Add members to a team and remove others',
  description:
    'Members that are not named stay as they are, so changes of several people at the same time all last. Everybody added must be a member of the organization.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'managed-elsewhere'],
  path: teamPath,
  body: setChange(z.guid().toLowerCase()),
  result: teamSchema,
  async handle({ caller, path, body, effect }) {
    const team = await caller.see(theTeam, path.id, effect.kysely);
    refuseManaged(team);
    const result = await change(effect, caller.organization.id, team.id, body);
    if (result === undefined) return teamAnswer(await caller.see(theTeam, path.id, effect.kysely));
    if (result.kind === 'set') return teamAnswer(result.team);
    throw notMembers('body.add', body.add, result.userIds);
  },
});
