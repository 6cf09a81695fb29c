import { z } from 'zod';
import { type BuildView, listBuilds as list } from '../../db/builds/builds.ts';
import { cancelBuild as cancel } from '../../db/builds/cancel-build.ts';
import { readBuildLog } from '../../db/builds/log.ts';
import { type NewBuild, requestBuild } from '../../db/builds/request-build.ts';
import { appliedSettings } from '../../db/change-sets/applied.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { buildStates, isBuildFinal } from '../../domain/builds/states.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageBy, pageOf } from '../engine/positions.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { buildAnswer, buildSchema, logLineSchema, theBuild } from './build.ts';
import type { BuildLogs } from './build-logs.ts';
import { approveBuild, createBuild } from './create-build.ts';
import { sources } from './sources.ts';

const cancelBuild = operation({
  method: 'POST',
  url: '/api/v1/builds/{id}/cancel',
  summary: 'Cancel a build',
  description: 'One that is queued ends at once. Of one that is running the agent ends all processes.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['already-decided'],
  of: theBuild,
  result: buildSchema,
  async handle({ found: { id, serviceName }, caller, effect }) {
    await cancel(effect, id, serviceName);
    return buildAnswer(await caller.see(theBuild, id, effect.kysely));
  },
});

const getBuild = operation({
  method: 'GET',
  url: '/api/v1/builds/{id}',
  summary: 'Get a build',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theBuild,
  result: buildSchema,
  handle: async ({ found }) => buildAnswer(found),
});

const listBuildLog = operation({
  method: 'GET',
  url: '/api/v1/builds/{id}/logs',
  summary: 'List the log lines of a build',
  description:
    'Oldest first, numbered from 1 without gaps. Of a build that is running, the last page ends with the newest line.',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theBuild,
  result: logLineSchema,
  paged: { after: z.int().min(0), defaultLimit: 200, maxLimit: 1000 },
  async handle({ found: build, page, database, server }) {
    const found = await readBuildLog(database.kysely, server.keyring, build, page.after ?? 0, page.limit + 1);
    return pageBy(found, page, ({ seq }) => seq);
  },
});

const id = z.guid().toLowerCase().optional();

const listBuilds = operation({
  method: 'GET',
  url: '/api/v1/builds',
  summary: 'List builds of the organization, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({
    ...{ projectId: id, environmentId: id, serviceId: id },
    status: z.enum(buildStates).optional(),
    open: z.boolean().optional().describe('`true`: only those that wait or run; `false`: only those that ended.'),
    unresolved: z
      .boolean()
      .optional()
      .describe(
        '`true`: only the newest build of a service in an environment that came to a result, if it failed or was not deployed and nothing took its place since; `false`: all others.',
      ),
  }),
  paged: { after: createdPosition },
  result: buildSchema,
  async handle({ caller, query, database, page }) {
    const filter = { ...query, projectIds: caller.projectIds };
    const found = await list(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, buildAnswer);
  },
});

const listServiceBuilds = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/builds',
  summary: 'List builds of a service, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  paged: { after: createdPosition },
  result: buildSchema,
  async handle({ found: { id: serviceId }, caller, database, page }) {
    const found = await list(database.kysely, caller.organization.id, { serviceId }, oneMore(page));
    return pageOf(found, page, buildAnswer);
  },
});

const retryBuild = operation({
  method: 'POST',
  url: '/api/v1/builds/{id}/retry',
  summary: 'Build the same source again',
  description: 'A new build, of the same source with the settings of now.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'quota-reached'],
  of: theBuild,
  result: buildSchema,
  async handle({ found: build, caller, effect }) {
    const { id, number, serviceName, state } = build;
    if (!isBuildFinal(state)) {
      throw new Problem(
        'conflict',
        `Build #${number} of "${serviceName}" is not over: cancel it first, or wait for it.`,
      );
    }
    const made = await requestBuild(effect, {
      ...build,
      source: sourceOf(build),
      trigger: 'retry',
      actorUserId: caller.answerableId,
      // The same source to the byte: an approval of it stands.
      connected: build.connected && (await isStillConnected(effect, caller, build)),
      approvedBy: approvalOf(build),
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

const streamBuildLog = operation({
  method: 'GET',
  url: '/api/v1/builds/{id}/logs/stream',
  summary: 'Stream the log of a build',
  description:
    'From its first line, or from behind `after`, as it is made. It closes when the build is over and all is told. A build that cannot be read closes the stream without a word.',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({ after: z.int().min(0).default(0).describe('Only lines behind this number.') }),
  stream: { kind: 'other', events: { log: logLineSchema } },
  async *handle({ caller, path, query, server, signal }) {
    const organizationId = caller.organization.id;
    const sees = ({ projectId }: { projectId: string }) => caller.seesProject(projectId);
    const logs: BuildLogs = server.buildLogs;
    yield* logs.follow(organizationId, path.id, query.after, sees, signal);
  },
});

export const builds = {
  list: listBuilds,
  ofService: listServiceBuilds,
  create: createBuild,
  get: getBuild,
  approve: approveBuild,
  cancel: cancelBuild,
  retry: retryBuild,
  log: listBuildLog,
  streamLog: streamBuildLog,
  ...sources,
};
