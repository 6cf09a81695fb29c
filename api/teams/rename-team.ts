import { z } from 'zod';
import { lockTeam, renameTeam as rename } from '../../db/teams/teams.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { refuseManaged, teamAnswer, teamName, teamPath, teamSchema, theTeam } from './team.ts';

export const renameTeam = operation({
  method: 'PATCH',
  url: '/api/v1/teams/{id}',
  summary: 'Rename a team',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'managed-elsewhere', 'changed-meanwhile'],
  path: teamPath,
  body: withWas(z.strictObject({ name: teamName.optional() })),
  result: teamSchema,
  async handle({ caller, path, body, effect }) {
    const team = await caller.see(theTeam, path.id, effect.kysely);
    refuseManaged(team);
    const before = await lockTeam(effect, caller.organization.id, team.id);
    const { was, ...wanted } = body;
    const subject = { organizationId: caller.organization.id, kind: 'team', id: team.id };
    if (before !== undefined) await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted });
    if (body.name === undefined || body.name === before?.name) return teamAnswer(team);
    const renamed = await rename(effect, caller.organization.id, team.id, body.name);
    return teamAnswer(renamed ?? (await caller.see(theTeam, path.id, effect.kysely)));
  },
});
