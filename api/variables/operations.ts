import { z } from 'zod';
import { variableHistory as history, listVariables as list } from '../../db/change-sets/draft/variables.ts';
import { referredVariables } from '../../db/references/referrers.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { placeOf } from '../change-sets/draft.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageBy, pageOf } from '../engine/positions.ts';
import { theEnvironment } from '../environments/environment.ts';
import { importVariables } from './import-variables.ts';

const referredVariableSchema = z
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

const listReferrers = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/variables/referrers',
  summary: 'List the variables of a service, or those shared, to which others refer, applied and staged',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Absent: the variables that the services share.'),
  }),
  paged: { after: z.strictObject({ key: z.string() }) },
  result: referredVariableSchema,
  async handle({ found: environment, query: { serviceId }, page, database }) {
    const asked = { serviceId, after: page.after?.key, limit: page.limit + 1 };
    const found = await referredVariables(database.kysely, placeOf(environment), asked);
    return pageBy(found, page, ({ key }) => ({ key }));
  },
});

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

const listVariables = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/variables',
  summary: 'List the variables of an environment, applied and staged: those shared, then by service and key',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Only those of this service.'),
    shared: z.boolean().default(false).describe('Only those that the services share; goes before `serviceId`.'),
  }),
  paged: { after: z.strictObject({ slug: z.string(), key: z.string() }) },
  result: variableSchema,
  async handle({ found: environment, query, page, database }) {
    const asked = { limit: page.limit + 1, after: page.after, of: query.shared ? null : query.serviceId };
    const found = await list(database.kysely, environment, asked);
    return pageBy(found, page, ({ serviceSlug, key }) => ({ slug: serviceSlug, key }));
  },
});

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

const variableHistory = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/variables/history',
  summary: 'List the changes of a variable that were applied, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  query: z.strictObject({
    serviceId: z.guid().toLowerCase().optional().describe('Absent: of a variable that the services share.'),
    key: z.string().min(1).max(256),
  }),
  paged: { after: createdPosition },
  result: variableChangeSchema,
  async handle({ found: environment, query, page, database }) {
    const rows = await history(database.kysely, placeOf(environment), query, oneMore(page));
    return pageOf(rows, page, (row) => ({ ...row, buildTime: row.buildTime ?? '', appliedAt: row.createdAt }));
  },
});

export const variables = {
  list: listVariables,
  history: variableHistory,
  referrers: listReferrers,
  import: importVariables,
};
