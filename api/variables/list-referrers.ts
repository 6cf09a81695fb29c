import { z } from 'zod';
import { referredVariables } from '../../db/references/referrers.ts';
import { placeOf } from '../change-sets/draft.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';

export const referredVariableSchema = z
  .object({
    key: z.string(),
    count: z.int().describe('How many variables refer to it.'),
    referrers: z
      .array(
        z.object({
          serviceId: z.guid().optional().describe('Absent of a variable that the services share.'),
          serviceSlug: z.string().describe('Empty of a shared one.'),
          key: z.string(),
        }),
      )
      .describe('The first 20 of them, by service and key.'),
  })
  .meta({ id: 'ReferredVariable' });

export const listReferrers = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/variables/referrers',
  summary: 'List the variables of a service, or those shared, to which others refer, applied and staged',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Absent: the variables that the services share.'),
  }),
  paged: { after: z.strictObject({ key: z.string() }) },
  result: referredVariableSchema,
  async handle({ caller, path, query: { serviceId }, page, database }) {
    const environment = await caller.see(theEnvironment, path.id);
    const asked = { serviceId, after: page.after?.key, limit: page.limit + 1 };
    const found = await referredVariables(database.kysely, placeOf(environment), asked);
    const shown = found.slice(0, page.limit);
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    return {
      items: shown.map(({ referrers, ...one }) => ({
        ...one,
        referrers: referrers.map(({ serviceId: id, ...of }) => ({ ...(id === null ? {} : { serviceId: id }), ...of })),
      })),
      after: last && { key: last.key },
    };
  },
});
