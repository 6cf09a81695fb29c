import { z } from 'zod';
import { renameTeam as rename } from '../../db/teams/teams.ts';
import { operation } from '../engine/operation.ts';
import { refuseManaged, teamAnswer, teamName, teamPath, teamSchema, theTeam } from './team.ts';

export const renameTeam = operation({
  method: 'PATCH',
  url: '/api/v1/teams/{id}',
  summary: 'Rename a team',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'managed-elsewhere'],
  path: teamPath,
  body: z.strictObject({ name: teamName.optional() }),
  result: teamSchema,
  async handle({ caller, path, body, effect }) {
    const team = await caller.see(theTeam, path.id, effect.kysely);
    refuseManaged(team);
    if (body.name === undefined || body.name === team.name) return teamAnswer(team);
    const renamed = await rename(effect, caller.organization.id, team.id, body.name);
    return teamAnswer(renamed ?? (await caller.see(theTeam, path.id, effect.kysely)));
  },
});
