import { requestBuild } from '../../db/builds/request-build.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { buildAnswer, buildPath, buildSchema, theBuild } from './build.ts';

export const retryBuild = operation({
  method: 'POST',
  url: '/api/v1/builds/{id}/retry',
  summary: 'Build the same source again',
  description: 'A new build, of the same source with the settings of now.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'quota-reached'],
  path: buildPath,
  result: buildSchema,
  async handle({ caller, path, effect }) {
    const build = await caller.see(theBuild, path.id, effect.kysely);
    const {
      id,
      number,
      serviceName,
      state,
      organizationId,
      projectId,
      environmentId,
      serviceId,
      deploys,
      downtimeAccepted,
      buildSourceId,
    } = build;
    if (!isBuildFinal(state)) {
      throw new Problem(
        'conflict',
        `Build #${number} of "${serviceName}" is not over: cancel it first, or wait for it.`,
      );
    }
    if (buildSourceId === null)
      throw new Problem(
        'conflict',
        `Build #${number} of "${serviceName}" has no source that was uploaded: build its commit.`,
      );
    const made = await requestBuild(effect, {
      ...{ organizationId, projectId, environmentId, serviceId, deploys, downtimeAccepted },
      source: { kind: 'upload', buildSourceId },
      trigger: 'retry',
      actorUserId: caller.answerableId,
      retryOf: id,
    });
    return buildAnswer(await caller.see(theBuild, made, effect.kysely));
  },
});
