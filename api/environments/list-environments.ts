import { z } from 'zod';
import { listEnvironments as environmentsOf } from '../../db/environments/environments.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { projectPath, theProject } from '../projects/project.ts';
import { environmentAnswer, environmentSchema } from './environment.ts';

export const listEnvironments = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/environments',
  summary: 'List the environments of a project, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: projectPath,
  query: z.strictObject({ q: soughtText('its name') }),
  paged: { after: createdPosition },
  result: environmentSchema,
  async handle({ caller, path, query, database, page }) {
    const project = await caller.see(theProject, path.id);
    const environments = await environmentsOf(database.kysely, project, { ...oneMore(page), q: query.q });
    return pageOf(environments, page, ({ id }) => id, environmentAnswer);
  },
});
