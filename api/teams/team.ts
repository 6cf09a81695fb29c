import { z } from 'zod';
import { findTeam, type TeamView } from '../../db/teams/teams.ts';
import { Problem } from '../../domain/problems.ts';
import { invalidFields } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';

export const theTeam = resource('team', findTeam);

export const teamSchema = z
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

export const teamPath = z.strictObject({ id: z.guid() });
export const teamName = nameText().describe('Unique in the organization, whatever the case.');

export function teamAnswer(team: TeamView): z.output<typeof teamSchema> {
  return { ...team, createdAt: team.createdAt.toISOString() };
}

export function refuseManaged(team: TeamView): void {
  if (!team.scimManaged) return;
  throw new Problem('managed-elsewhere', `The team ${team.name} is kept by your identity provider; change it there.`);
}

/** The problem of a list that names people who are not members of the organization. */
export function notMembers(location: string, given: readonly string[], strangers: readonly string[]): Problem {
  const message = 'is not a member of the organization; invite them first';
  const unknown = new Set(strangers);
  return invalidFields(
    given.flatMap((value, index) =>
      unknown.has(value) ? [{ location: `${location}[${index}]`, message, value }] : [],
    ),
  );
}
