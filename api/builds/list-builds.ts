import { z } from 'zod';
import { listBuilds as buildsOf } from '../../db/builds/builds.ts';
import { buildStates } from '../../domain/builds/states.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { buildAnswer, buildSchema } from './build.ts';

const id = z.guid().toLowerCase().optional();

export const listBuilds = operation({
  method: 'GET',
  url: '/api/v1/builds',
  summary: 'List builds of the organization, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({
    ...{ projectId: id, environmentId: id, serviceId: id },
    status: z.enum(buildStates).optional(),
    open: z.boolean().optional().describe('`true`: only those that wait or run; `false`: only those that ended.'),
    unresolved: z
      .boolean()
      .optional()
      .describe(
        '`true`: only the newest build of a service in an environment that came to a result, if it failed or was not deployed and nothing took its place since; `false`: all others.',
      ),
  }),
  paged: { after: createdPosition },
  result: buildSchema,
  async handle({ caller, query, database, page }) {
    const filter = { ...query, projectIds: caller.projectIds };
    const found = await buildsOf(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, ({ id: last }) => last, buildAnswer);
  },
});
