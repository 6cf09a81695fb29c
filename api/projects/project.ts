import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { isMember } from '../../db/members/members.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { findProject, type ProjectView } from '../../db/projects/projects.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';
import { theTeam } from '../teams/operations.ts';

export const theProject = resource('project', findProject, ({ id }) => id);

export const projectSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    slug: z.string().describe('Part of addresses and of image names; it never changes.'),
    description: z.string(),
    createdAt: z.iso.datetime(),
    deployConcurrency: z.int().describe('How many of its deployments may run at once.'),
    owner: z
      .object({ id: z.guid(), name: z.string(), email: z.string(), picture: z.string() })
      .optional()
      .describe('The member who owns it; absent if a team does.'),
    team: z.object({ id: z.guid(), name: z.string() }).optional().describe('The team that owns it.'),
  })
  .meta({ id: 'Project' });

export const projectName = nameText();
export const projectDescription = z.string().trim().max(2_000).describe('What it is, in a few sentences.');

export function projectAnswer(project: ProjectView): AnswerOf<typeof projectSchema> {
  const { owner } = project;
  return { ...project, owner: owner && { ...owner, picture: owner.picture ?? '' } };
}

interface OwnerBody {
  ownerId?: string | undefined;
  teamId?: string | undefined;
}

/** The owner that a request names: a member, or a team; otherwise the person who answers for the request. */
export async function ownerOf(
  effect: Effect,
  caller: OrganizationCaller,
  { ownerId, teamId }: OwnerBody,
): Promise<{ ownerId?: string; teamId?: string }> {
  if (teamId !== undefined) return { teamId: (await caller.see(theTeam, teamId, effect.kysely)).id };
  const id = ownerId ?? caller.answerableId;
  // Tokens of CI jobs have no person behind them.
  if (id === undefined) return {};
  if (await isMember(effect, caller.organization.id, id)) return { ownerId: id };
  const message = 'is not a member of the organization; invite them first';
  throw invalidField('body.ownerId', message, id);
}

/** The projects to which something is limited. */
export const chosenProjects = z.array(z.guid().toLowerCase()).max(1000);

/** Refuses, each by its place, those that the organization does not have. */
export async function refuseOtherProjects(
  { kysely }: Pick<Effect, 'kysely'>,
  organizationId: string,
  ids: readonly string[] | null | undefined,
): Promise<void> {
  if (!ids?.length) return;
  const rows = await tenant(kysely, organizationId)
    .selectFrom('project')
    .select('id')
    .where('id', 'in', ids)
    .where('deletion_id', 'is', null)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const message = 'is not a project of this organization';
  const faults = ids.flatMap((value, index) =>
    known.has(value) ? [] : [{ location: `body.projectIds[${index}]`, message, value }],
  );
  if (faults.length > 0) throw invalidFields(faults);
}
