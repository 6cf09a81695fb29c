import { z } from 'zod';
import { appliedSettings, appliedVariables } from '../../../db/change-sets/applied.ts';
import { stage } from '../../../db/change-sets/stage.ts';
import type { NewItem } from '../../../db/change-sets/staging.ts';
import { createEnvironment } from '../../../db/environments/environments.ts';
import { placeOf } from '../../change-sets/draft.ts';
import { operation } from '../../engine/operation.ts';
import { theProject } from '../../projects/project.ts';
import { chosenCluster } from '../chosen-cluster.ts';
import {
  environmentAnswer,
  environmentFields,
  environmentPath,
  environmentSchema,
  theEnvironment,
} from '../environment.ts';
import { refuseMoreEnvironments } from '../quota.ts';

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
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: environmentPath,
  body: z.strictObject({
    name,
    production: production.optional().describe('By default it is not production.'),
    clusterId: clusterId.optional().describe("By default the source's."),
  }),
  status: 201,
  result: clonedSchema,
  async handle({ caller, path, body, effect, server }) {
    const source = await caller.see(theEnvironment, path.id, effect.kysely);
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
      .map(({ serviceId, key }) => ({ ...(serviceId === '' ? {} : { serviceId }), key }));
    return { ...environmentAnswer(made), leftOut };
  },
});
