import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createTeam as newTeam } from '../../db/teams/teams.ts';
import { operation } from '../engine/operation.ts';
import { teamAnswer, teamName, teamSchema } from './team.ts';

export const createTeam = operation({
  method: 'POST',
  url: '/api/v1/teams',
  summary: 'Create a team',
  description: 'The slug is derived from the name and does not change when the team is renamed.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict'],
  body: z.strictObject({ name: teamName }),
  status: 201,
  result: teamSchema,
  async handle({ caller, body, effect, server }) {
    const owner = caller.organization.id;
    await refuseBeyond(effect, {
      setting: 'TEAMS_PER_ORGANIZATION',
      most: server.settings.TEAMS_PER_ORGANIZATION,
      owner,
      things: 'teams in this organization',
      rows: sql`team where organization_id = ${owner}`,
      remedy: 'delete one that is not needed',
    });
    return teamAnswer(await newTeam(effect, caller.organization.id, body.name));
  },
});
