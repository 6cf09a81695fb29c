import { z } from 'zod';
import { findProject, type ProjectView } from '../../db/projects/projects.ts';
import { nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';

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

export const projectPath = z.strictObject({ id: z.guid().toLowerCase() });
export const projectName = nameText();
export const projectDescription = z.string().trim().max(2_000).describe('What it is, in a few sentences.');

export function projectAnswer(project: ProjectView): z.output<typeof projectSchema> {
  const { id, name, slug, description, deployConcurrency, createdAt, owner, team } = project;
  return {
    id,
    name,
    slug,
    description,
    deployConcurrency,
    createdAt: createdAt.toISOString(),
    ...(owner === null ? {} : { owner: { ...owner, picture: owner.picture ?? '' } }),
    ...(team === null ? {} : { team }),
  };
}
