import { z } from 'zod';
import { projectImpact } from '../../db/projects/removal/impact.ts';
import { operation } from '../engine/operation.ts';
import { sizes } from '../environments/deletion-impact.ts';
import { projectPath, theProject } from './project.ts';

export const projectDeletionImpactSchema = z
  .object({
    project: z.object({ id: z.guid(), name: z.string(), slug: z.string() }),
    environments: z.array(z.object({ id: z.guid(), name: z.string(), production: z.boolean(), slug: z.string() })),
    services: z.int(),
    databases: z.int(),
    volumes: sizes.describe('In all of its environments.'),
    domains: z.int(),
    backups: sizes,
    archives: z.int(),
    inFlightDeployments: z.int().describe('They are cancelled, or with `wait` end by themselves if they have begun.'),
    pendingApprovals: z.int().describe('They are closed.'),
    stagedChanges: z.int().describe('How many are discarded.'),
  })
  .meta({ id: 'ProjectDeletionImpact' });

export const projectDeletionImpact = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/deletion-impact',
  summary: 'Tell what the deletion of a project would end',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: projectPath,
  result: projectDeletionImpactSchema,
  async handle({ caller, path, database: { kysely } }) {
    const project = await caller.see(theProject, path.id);
    const { id, name, slug } = project;
    // Subjects that no version has yet.
    const nothing = { domains: 0, backups: { count: 0, sizeBytes: 0 }, archives: 0 };
    return { project: { id, name, slug }, ...(await projectImpact(kysely, project)), ...nothing };
  },
});
