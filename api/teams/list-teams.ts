import { listTeams as teamsOf } from '../../db/teams/teams.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { teamAnswer, teamSchema } from './team.ts';

export const listTeams = operation({
  method: 'GET',
  url: '/api/v1/teams',
  summary: 'List teams, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  paged: { after: createdPosition },
  result: teamSchema,
  async handle({ caller, database, page }) {
    const teams = await teamsOf(database.kysely, caller.organization.id, oneMore(page));
    return pageOf(teams, page, ({ id }) => id, teamAnswer);
  },
});
