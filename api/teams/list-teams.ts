import { z } from 'zod';
import { listTeams as teamsOf } from '../../db/teams/teams.ts';
import { soughtText } from '../engine/input/line.ts';
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
  query: z.strictObject({ q: soughtText('its name') }),
  paged: { after: createdPosition },
  result: teamSchema,
  async handle({ caller, database, query, page }) {
    const teams = await teamsOf(database.kysely, caller.organization.id, { ...oneMore(page), q: query.q });
    return pageOf(teams, page, ({ id }) => id, teamAnswer);
  },
});
