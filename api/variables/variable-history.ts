import { z } from 'zod';
import { variableHistory as history } from '../../db/change-sets/draft/variable-history.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { placeOf } from '../change-sets/draft.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';

const person = z.object({ id: z.string(), name: z.string() });

export const variableChangeSchema = z
  .object({
    id: z.guid(),
    changeSetId: z.guid(),
    change: z.enum(['set', 'unset']),
    from: z.string().describe('JSON text; empty if it is secret or nothing was there.'),
    to: z.string().describe('JSON text; empty if it is secret or nothing is there any more.'),
    secret: z.boolean(),
    buildTime: z.enum(['', ...buildTimes]).describe('Empty of one that is unset.'),
    stagedBy: person,
    stagedAt: z.iso.datetime(),
    appliedBy: person,
    appliedAt: z.iso.datetime(),
    message: z.string().describe('The words of the person who applied it.'),
  })
  .meta({ id: 'VariableChange' });

export const variableHistory = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/variables/history',
  summary: 'List the changes of a variable that were applied, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Absent: of a variable that the services share.'),
    key: z.string().min(1).max(256),
  }),
  paged: { after: createdPosition },
  result: variableChangeSchema,
  async handle({ caller, path, query, page, database }) {
    const environment = await caller.see(theEnvironment, path.id);
    const rows = await history(database.kysely, placeOf(environment), query, oneMore(page));
    return pageOf(
      rows,
      page,
      ({ id }) => id,
      ({ createdAt, stagedAt, buildTime, ...row }) => ({
        ...row,
        buildTime: buildTime ?? '',
        stagedAt: stagedAt.toISOString(),
        appliedAt: createdAt.toISOString(),
      }),
    );
  },
});
