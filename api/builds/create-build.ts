import { z } from 'zod';
import { requestBuild, SourceMissing } from '../../db/builds/request-build.ts';
import { Problem } from '../../domain/problems.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { buildAnswer, buildPath, buildSchema, theBuild } from './build.ts';

export const createBuild = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/builds',
  summary: 'Build an uploaded source',
  description:
    'Queues a build on the cluster of the environment. Once it has succeeded, its image is deployed there with the settings that are applied then, never with staged ones; in production that waits for its approval.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'quota-reached'],
  path: buildPath,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    sourceId: z.guid().toLowerCase().describe('Of `POST /services/{id}/sources`.'),
    deploy: z.boolean().default(true).describe('`false`: only an image is made.'),
    downtimeAccepted: z
      .boolean()
      .default(false)
      .describe('Its deployment may end processes that have a volume before their successors start.'),
  }),
  result: buildSchema,
  status: 201,
  async handle({ caller, path, body, effect }) {
    const service = await caller.see(theService, path.id, effect.kysely);
    const environment = await caller.see(theEnvironment, body.environmentId, effect.kysely);
    const { organizationId, projectId } = environment;
    if (projectId !== service.projectId) throw new Problem('not-found', 'The environment is of another project.');
    const id = await requestBuild(effect, {
      ...{ organizationId, projectId, environmentId: environment.id, serviceId: service.id },
      source: { kind: 'upload', buildSourceId: body.sourceId },
      ...{ trigger: 'upload', deploys: body.deploy, actorUserId: caller.answerableId },
      downtimeAccepted: body.downtimeAccepted,
    }).catch((error: unknown) => {
      if (!(error instanceof SourceMissing)) throw error;
      throw invalidFields([
        { location: 'body.sourceId', message: 'is no source of this service', value: body.sourceId },
      ]);
    });
    return buildAnswer(await caller.see(theBuild, id, effect.kysely));
  },
});
