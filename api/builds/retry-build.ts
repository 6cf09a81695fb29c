import type { BuildView } from '../../db/builds/builds.ts';
import { type NewBuild, requestBuild } from '../../db/builds/request-build.ts';
import { appliedSettings } from '../../db/change-sets/applied.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
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
      title,
      downtimeAccepted,
    } = build;
    if (!isBuildFinal(state)) {
      throw new Problem(
        'conflict',
        `Build #${number} of "${serviceName}" is not over: cancel it first, or wait for it.`,
      );
    }
    const made = await requestBuild(effect, {
      ...{ organizationId, projectId, environmentId, serviceId, deploys, title, downtimeAccepted },
      source: sourceOf(build),
      trigger: 'retry',
      actorUserId: caller.answerableId,
      // The same source to the byte: an approval of it stands.
      ...{
        connected: build.connected && (await isStillConnected(effect, caller, build)),
        approvedBy: approvalOf(build),
      },
      retryOf: id,
    });
    return buildAnswer(await caller.see(theBuild, made, effect.kysely));
  },
});

/**
 * The repository and branch may be others by now, or were never applied: of a change set that was rejected, or of a time in which the
 * environment was none of production.
 */
async function isStillConnected({ kysely }: Effect, caller: OrganizationCaller, build: BuildView): Promise<boolean> {
  const { gitBranch } = await caller.see(theEnvironment, build.environmentId, kysely);
  const source = (await appliedSettings(kysely, build, [build.serviceId])).get(build.serviceId)?.source;
  if (source?.kind !== 'git' || (source.gitConnectionId ?? null) !== build.gitConnectionId) return false;
  const isSame =
    build.gitConnectionId === null ? source.gitUrl === build.gitUrl : source.repository === build.repository;
  return isSame && (gitBranch === null || build.gitRef === `refs/heads/${gitBranch}`);
}

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
