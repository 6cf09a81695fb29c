import { z } from 'zod';
import { appliedSettings, appliedVariables } from '../../db/change-sets/applied.ts';
import { stage } from '../../db/change-sets/stage.ts';
import type { NewItem } from '../../db/change-sets/staging.ts';
import { compareEnvironments as compare, comparisons } from '../../db/environments/compare.ts';
import { createEnvironment } from '../../db/environments/environments.ts';
import { differenceKinds } from '../../domain/environments/compare.ts';
import { placeOf } from '../change-sets/draft.ts';
import { operation } from '../engine/operation.ts';
import { theProject } from '../projects/project.ts';
import { environmentOf } from '../services/service-place.ts';
import {
  chosenCluster,
  environmentAnswer,
  environmentFields,
  environmentSchema,
  refuseMoreEnvironments,
  theEnvironment,
} from './environment.ts';

const { name, clusterId, production } = environmentFields;

export const clonedSchema = environmentSchema
  .extend({
    leftOut: z
      .array(z.object({ serviceId: z.guid().optional().describe('Absent for a shared one.'), key: z.string() }))
      .describe('The secret variables of production whose values are not copied into what is not production.'),
  })
  .meta({ id: 'ClonedEnvironment' });

export const cloneEnvironment = operation({
  method: 'POST',
  url: '/api/v1/environments/{id}/clone',
  summary: 'Create an environment, and stage in it all that this one has',
  description:
    'Services, settings and variables as they were applied. Secret values are copied without being shown, but not out of production into an environment that is not: `leftOut` names those. Nothing runs until the staged changes are applied. Data of volumes is not copied.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theEnvironment,
  body: z.strictObject({
    name,
    production: production.optional().describe('By default it is not production.'),
    clusterId: clusterId.optional().describe("By default the source's."),
  }),
  status: 201,
  result: clonedSchema,
  async handle({ found: source, caller, body, effect, server }) {
    const project = await caller.see(theProject, source.projectId, effect.kysely);
    await refuseMoreEnvironments(effect, server.settings, project);
    const cluster = body.clusterId && (await chosenCluster(caller, body.clusterId, effect.kysely)).id;
    const made = await createEnvironment(effect, project, {
      name: body.name,
      production: body.production ?? false,
      clusterId: cluster ?? source.clusterId ?? undefined,
      // Two environments that deploy the same branch would do so by surprise.
      autoDeploy: false,
    });
    const settings = await appliedSettings(effect.kysely, placeOf(source));
    const variables = await appliedVariables(effect.kysely, server.keyring, placeOf(source), ['', ...settings.keys()]);
    const all = [...variables].flatMap(([serviceId, of]) => [...of].map(([key, it]) => ({ serviceId, key, ...it })));
    // A deployer of the clone could read them there.
    const leavesProduction = source.production && !made.production;
    const items: NewItem[] = [
      ...[...settings].map(
        ([serviceId, to]): NewItem => ({ kind: 'service.create', serviceId, key: '', to: to as never }),
      ),
      ...all
        .filter(({ secret }) => !(leavesProduction && secret))
        .map(
          ({ serviceId, value, ...its }): NewItem => ({
            kind: 'variable.set',
            serviceId: serviceId || null,
            to: value,
            ...its,
          }),
        ),
    ];
    if (items.length > 0) await stage(effect, server.keyring, placeOf(made), items, caller.countsAs);
    const leftOut = all
      .filter(({ secret }) => leavesProduction && secret)
      .map(({ serviceId, key }) => ({ serviceId: serviceId || undefined, key }));
    return { ...environmentAnswer(made), leftOut };
  },
});

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
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  query: z.strictObject({ with: z.guid().toLowerCase().describe('The other environment of the same project.') }),
  result: comparisonSchema,
  async handle({ found: from, caller, query, database: { kysely }, server }) {
    const to = await environmentOf(caller, from, query.with);
    return await compare(kysely, server.keyring, from, to);
  },
});
