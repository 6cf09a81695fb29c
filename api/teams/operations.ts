import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import {
  changeTeamMembers as change,
  findTeam,
  lockTeam,
  createTeam as newTeam,
  deleteTeam as remove,
  renameTeam as rename,
  setTeamMembers as setMembers,
  type TeamView,
  listTeams as teamsOf,
} from '../../db/teams/teams.ts';
import { Problem } from '../../domain/problems.ts';
import { invalidFields } from '../engine/input/input.ts';
import { nameText, soughtText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { setChange } from '../engine/input/set-change.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';

export const theTeam = resource('team', findTeam);

const teamSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    slug: z.string(),
    createdAt: z.iso.datetime(),
    projectCount: z.int().describe('How many projects the team owns.'),
    scimManaged: z.boolean().describe('Kept by the identity provider: it cannot be changed here.'),
    members: z.array(z.object({ userId: z.guid(), name: z.string(), email: z.string() })),
  })
  .meta({ id: 'Team' });

const teamName = nameText().describe('Unique in the organization, whatever the case.');

function refuseManaged(team: TeamView): void {
  if (!team.scimManaged) return;
  throw new Problem('managed-elsewhere', `The team ${team.name} is kept by your identity provider; change it there.`);
}

/** The problem of a list that names people who are not members of the organization. */
function notMembers(location: string, given: readonly string[], strangers: readonly string[]): Problem {
  const message = 'is not a member of the organization; invite them first';
  const unknown = new Set(strangers);
  return invalidFields(
    given.flatMap((value, index) =>
      unknown.has(value) ? [{ location: `${location}[${index}]`, message, value }] : [],
    ),
  );
}

const changeTeamMembers = operation({
  method: 'PATCH',
  url: '/api/v1/teams/{id}/members',
  summary: 'Add members to a team and remove others',
  description:
    'Members that are not named stay as they are, so changes of several people at the same time all last. Everybody added must be a member of the organization.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['managed-elsewhere'],
  of: theTeam,
  body: setChange(z.guid().toLowerCase()),
  result: teamSchema,
  async handle({ found: team, caller, path, body, effect }) {
    refuseManaged(team);
    const result = await change(effect, caller.organization.id, team.id, body);
    if (result === undefined) return await caller.see(theTeam, path.id, effect.kysely);
    if (result.kind === 'set') return result.team;
    throw notMembers('body.add', body.add, result.userIds);
  },
});

const createTeam = operation({
  method: 'POST',
  url: '/api/v1/teams',
  summary: 'Create a team',
  description: 'The slug is derived from the name and does not change when the team is renamed.',
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
    });
    return await newTeam(effect, caller.organization.id, body.name);
  },
});

const deleteTeam = operation({
  method: 'DELETE',
  url: '/api/v1/teams/{id}',
  summary: 'Delete a team',
  description: 'The members stay in the organization. A team that owns projects is 409.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['managed-elsewhere', 'conflict'],
  of: theTeam,
  async handle({ found: team, caller, effect }) {
    refuseManaged(team);
    await remove(effect, caller.organization.id, team.id);
  },
});

export const listTeams = operation({
  method: 'GET',
  url: '/api/v1/teams',
  summary: 'List teams, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({ q: soughtText('its name') }),
  paged: { after: createdPosition },
  result: teamSchema,
  async handle({ caller, database, query, page }) {
    const teams = await teamsOf(database.kysely, caller.organization.id, { ...oneMore(page), q: query.q });
    return pageOf(teams, page);
  },
});

const renameTeam = operation({
  method: 'PATCH',
  url: '/api/v1/teams/{id}',
  summary: 'Rename a team',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'managed-elsewhere', 'changed-meanwhile'],
  of: theTeam,
  body: withWas(z.strictObject({ name: teamName.optional() })),
  result: teamSchema,
  async handle({ found: team, caller, path, body, effect }) {
    refuseManaged(team);
    const before = await lockTeam(effect, caller.organization.id, team.id);
    const { was, ...wanted } = body;
    const subject = { organizationId: caller.organization.id, kind: 'team', id: team.id };
    if (before !== undefined) await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted });
    if (body.name === undefined || body.name === before?.name) return team;
    const renamed = await rename(effect, caller.organization.id, team.id, body.name);
    return renamed ?? (await caller.see(theTeam, path.id, effect.kysely));
  },
});

const setTeamMembers = operation({
  method: 'PUT',
  url: '/api/v1/teams/{id}/members',
  summary: 'Set the members of a team',
  description: 'Replaces the whole list. Everybody in it must be a member of the organization.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['managed-elsewhere'],
  of: theTeam,
  body: z.strictObject({ userIds: z.array(z.guid().toLowerCase()).max(1000) }),
  result: teamSchema,
  async handle({ found: team, caller, path, body, effect }) {
    refuseManaged(team);
    const result = await setMembers(effect, caller.organization.id, team.id, body.userIds);
    if (result === undefined) return await caller.see(theTeam, path.id, effect.kysely);
    if (result.kind === 'set') return result.team;
    throw notMembers('body.userIds', body.userIds, result.userIds);
  },
});

export const teams = {
  list: listTeams,
  create: createTeam,
  rename: renameTeam,
  delete: deleteTeam,
  changeMembers: changeTeamMembers,
  setMembers: setTeamMembers,
};
