import { z } from 'zod';
import { listVariables as list } from '../../db/change-sets/draft/variables.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';

export const variableSchema = z
  .object({
    serviceId: z.guid().optional().describe('Absent of a variable that the services of the environment share.'),
    serviceSlug: z.string().describe('Empty of a shared one.'),
    key: z.string(),
    value: z.string().describe('Empty if it is secret.'),
    secret: z.boolean(),
    buildTime: z.enum(buildTimes).describe('Whether builds see it: `no`, `also`, or `only` they do.'),
    updatedAt: z.iso.datetime(),
    updatedBy: z.string().describe('The name of the person, token or machine.'),
    staged: z.enum(['set', 'unset']).optional().describe('The draft sets it to this value, or unsets it.'),
    itemId: z.guid().optional().describe('The staged change: discard it to take it back.'),
  })
  .meta({ id: 'Variable' });

export const listVariables = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/variables',
  summary: 'List the variables of an environment, applied and staged: those shared, then by service and key',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Only those of this service.'),
    shared: z.boolean().default(false).describe('Only those that the services share; goes before `serviceId`.'),
  }),
  paged: { after: z.strictObject({ slug: z.string(), key: z.string() }) },
  result: variableSchema,
  async handle({ caller, path, query, page, database }) {
    const environment = await caller.see(theEnvironment, path.id);
    const asked = { limit: page.limit + 1, after: page.after, of: query.shared ? null : query.serviceId };
    const found = await list(database.kysely, environment, asked);
    const shown = found.slice(0, page.limit);
    const last = found.length > page.limit ? shown.at(-1) : undefined;
    return {
      items: shown.map(({ serviceId, updatedAt, staged, itemId, ...one }) => ({
        ...(serviceId === null ? {} : { serviceId }),
        ...one,
        updatedAt: updatedAt.toISOString(),
        ...(staged === null ? {} : { staged }),
        ...(itemId === null ? {} : { itemId }),
      })),
      after: last && { slug: last.serviceSlug, key: last.key },
    };
  },
});
