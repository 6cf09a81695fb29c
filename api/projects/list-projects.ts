import { z } from 'zod';
import { listProjects as projectsOf } from '../../db/projects/projects.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { projectAnswer, projectSchema } from './project.ts';

export const listProjects = operation({
  method: 'GET',
  url: '/api/v1/projects',
  summary: 'List projects, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({ q: soughtText('its name or description') }),
  paged: { after: createdPosition },
  result: projectSchema,
  async handle({ caller, database, query, page }) {
    const projects = await projectsOf(database.kysely, caller.organization.id, {
      ...oneMore(page),
      q: query.q,
      within: caller.projectIds,
    });
    return pageOf(projects, page, ({ id }) => id, projectAnswer);
  },
});
