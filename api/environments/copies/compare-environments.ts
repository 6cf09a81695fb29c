import { z } from 'zod';
import { compareEnvironments as compare, comparisons } from '../../../db/environments/compare.ts';
import { differenceKinds } from '../../../domain/environments/compare.ts';
import { Problem } from '../../../domain/problems.ts';
import { operation } from '../../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environment.ts';

const differenceSchema = z.object({
  kind: z.enum(differenceKinds),
  process: z.string().describe("Empty if it is the service's."),
  key: z.string(),
  from: z.string().describe('JSON text; empty if it is secret, or not there.'),
  to: z.string().describe('JSON text; empty if it is secret, or not there.'),
  secret: z.boolean(),
});

export const comparedServiceSchema = z
  .object({
    serviceId: z.guid(),
    slug: z.string(),
    name: z.string(),
    comparison: z.enum(comparisons).describe('`only-from`, `only-to`: the other environment does not have it.'),
    fromRelease: z.int().optional().describe('The number of the live release; absent where nothing is live.'),
    toRelease: z.int().optional(),
    differences: z.array(differenceSchema),
  })
  .meta({ id: 'ComparedService' });

export const comparisonSchema = z
  .object({
    services: z.array(comparedServiceSchema),
    shared: z.array(differenceSchema).describe('Of the variables that the services of each environment share.'),
  })
  .meta({ id: 'Comparison' });

export const compareEnvironments = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/compare',
  summary: 'Compare two environments of a project, service by service, and what their services share',
  description: 'As they were applied and as they are live. Secret values are compared, and never answered.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  query: z.strictObject({ with: z.guid().toLowerCase().describe('The other environment of the same project.') }),
  result: comparisonSchema,
  async handle({ caller, path, query, database: { kysely }, server }) {
    const from = await caller.see(theEnvironment, path.id);
    const to = await caller.see(theEnvironment, query.with);
    if (to.projectId !== from.projectId) throw new Problem('not-found', 'The environment is of another project.');
    const { services, shared } = await compare(kysely, server.keyring, from, to);
    return {
      services: services.map(({ fromRelease, toRelease, ...service }) => ({
        ...service,
        ...(fromRelease === null ? {} : { fromRelease }),
        ...(toRelease === null ? {} : { toRelease }),
      })),
      shared,
    };
  },
});
