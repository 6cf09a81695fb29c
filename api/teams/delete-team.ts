import { deleteTeam as remove } from '../../db/teams/teams.ts';
import { operation } from '../engine/operation.ts';
import { refuseManaged, teamPath, theTeam } from './team.ts';

export const deleteTeam = operation({
  method: 'DELETE',
  url: '/api/v1/teams/{id}',
  summary: 'Delete a team',
  description: 'The members stay in the organization. A team that owns projects is 409.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'managed-elsewhere', 'conflict'],
  path: teamPath,
  async handle({ caller, path, effect }) {
    const team = await caller.see(theTeam, path.id, effect.kysely);
    refuseManaged(team);
    await remove(effect, caller.organization.id, team.id);
  },
});
