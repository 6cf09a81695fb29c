import type { BuildView } from '../../db/builds/builds.ts';
import { type NewBuild, requestBuild } from '../../db/builds/request-build.ts';
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
    } = build;
    if (!isBuildFinal(state)) {
      throw new Problem(
        'conflict',
        `Build #${number} of "${serviceName}" is not over: cancel it first, or wait for it.`,
      );
    }
    const made = await requestBuild(effect, {
      ...{ organizationId, projectId, environmentId, serviceId, deploys, downtimeAccepted },
      source: sourceOf(build),
      trigger: 'retry',
      actorUserId: caller.answerableId,
      // The same source to the byte: what was decided of it stands.
      ...{ connected: build.connected, approvedBy: approvalOf(build) },
      retryOf: id,
    });
    return buildAnswer(await caller.see(theBuild, made, effect.kysely));
  },
});

function approvalOf({ approvedById: id, approvedByName: name }: BuildView): NewBuild['approvedBy'] {
  return id === null ? undefined : { id, name: name ?? '' };
}

/** The same commit, by the connection that it was fetched by. */
function sourceOf(build: BuildView): NewBuild['source'] {
  const { buildSourceId, gitUrl: url, gitRef: ref, gitConnectionId, repository, commitSha, commitMessage } = build;
  if (buildSourceId !== null) return { kind: 'upload', buildSourceId };
  const connection = gitConnectionId === null ? {} : { connectionId: gitConnectionId };
  return { kind: 'git', url, ref, repository, commit: commitSha, commitMessage, ...connection };
}
