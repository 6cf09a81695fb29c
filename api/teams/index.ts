import { changeTeamMembers } from './change-team-members.ts';
import { createTeam } from './create-team.ts';
import { deleteTeam } from './delete-team.ts';
import { listTeams } from './list-teams.ts';
import { renameTeam } from './rename-team.ts';
import { setTeamMembers } from './set-team-members.ts';

export const teams = {
  list: listTeams,
  create: createTeam,
  rename: renameTeam,
  delete: deleteTeam,
  changeMembers: changeTeamMembers,
  setMembers: setTeamMembers,
};
