import { z } from 'zod';
import { settingsAt } from '../../db/builds/commits/settings-at.ts';
import type { CommitSource } from '../../db/builds/request-build.ts';
import { requestBuild, SourceMissing } from '../../db/builds/request-build.ts';
import { commitPattern } from '../../domain/git/refs.ts';
import { Problem } from '../../domain/problems.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { approvesAlone } from './approve-build.ts';
import { buildAnswer, buildPath, buildSchema, theBuild } from './build.ts';
import { resolveCommit } from './resolve-commit.ts';

export const createBuild = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/builds',
  summary: 'Build an uploaded source, or a commit of the repository of the service',
  description:
    'Queues a build on the cluster of the environment. Once it has succeeded, its image is deployed there with the settings that are applied then, never with staged ones; in production that waits for its approval. Without `sourceId` the repository that is applied there is asked for its branch: `branch`, or else that of the environment, or else its own default one.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'quota-reached'],
  path: buildPath,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    sourceId: z.guid().toLowerCase().optional().describe('Of `POST /services/{id}/sources`.'),
    branch: z.string().min(1).max(500).optional().describe('A branch of the repository, such as `main`.'),
    commitSha: z.string().regex(commitPattern).optional().describe('A whole name of a commit, of the branch or older.'),
    message: z
      .string()
      .trim()
      .max(500)
      .default('')
      .describe('What changes, in your words: of the build, of its deployment, and for who approves that.'),
    deploy: z.boolean().default(true).describe('`false`: only an image is made.'),
    downtimeAccepted: z
      .boolean()
      .default(false)
      .describe('Its deployment may end processes that have a volume before their successors start.'),
  }),
  result: buildSchema,
  status: 201,
  ownEffect: true,
  async handle({ caller, path, body, database, server, once }) {
    const service = await caller.see(theService, path.id);
    const environment = await caller.see(theEnvironment, body.environmentId);
    const { organizationId, projectId } = environment;
    if (projectId !== service.projectId) throw new Problem('not-found', 'The environment is of another project.');
    const place = { organizationId, projectId, environmentId: environment.id, serviceId: service.id };
    const { sourceId, deploy, downtimeAccepted, message: title } = body;
    const approvedBy = environment.production ? await approvesAlone(database.kysely, caller) : undefined;
    const common = { ...place, deploys: deploy, title, downtimeAccepted, approvedBy, actorUserId: caller.answerableId };
    if (sourceId !== undefined) {
      refuseBoth(body);
      return await once(async (effect) => {
        const source = { kind: 'upload', buildSourceId: sourceId } as const;
        const id = await requestBuild(effect, { ...common, source, trigger: 'upload' }).catch((error: unknown) => {
          if (!(error instanceof SourceMissing)) throw error;
          throw invalidFields([
            { location: 'body.sourceId', message: 'is no source of this service', value: sourceId },
          ]);
        });
        return buildAnswer(await caller.see(theBuild, id, effect.kysely));
      });
    }
    // No transaction is open while its host is asked.
    const { source: settings } = await settingsAt(database.kysely, place);
    if (settings.kind !== 'git') {
      throw invalidFields([
        {
          location: 'body.sourceId',
          message: `is needed: "${service.name}" has no repository as its source in "${environment.name}"; upload one, or give it a repository and apply that`,
        },
      ]);
    }
    const { branch, commitSha } = body;
    const wanted = { organizationId, projectId, name: service.name, source: settings };
    const found = await resolveCommit(server, {
      ...wanted,
      branch: branch ?? environment.gitBranch ?? undefined,
    }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      const location = branch === undefined ? 'body.environmentId' : 'body.branch';
      throw invalidFields([{ location, message: error.message }]);
    });
    // Hosts list the tips of branches alone: a commit that was given is believed, and the agent says if it is not there.
    const source: CommitSource = { ...found, commit: commitSha ?? found.commit };
    const connected = source.commit === found.commit && (branch === undefined || branch === environment.gitBranch);
    return await once(async (effect) => {
      const id = await requestBuild(effect, { ...common, source, connected, trigger: 'manual' });
      return buildAnswer(await caller.see(theBuild, id, effect.kysely));
    });
  },
});

function refuseBoth({ branch, commitSha }: { branch?: string | undefined; commitSha?: string | undefined }): void {
  const given = [...(branch === undefined ? [] : ['branch']), ...(commitSha === undefined ? [] : ['commitSha'])];
  if (given.length === 0) return;
  throw invalidFields(
    given.map((name) => ({
      location: `body.${name}`,
      message: 'is of a repository, and sourceId of an upload: give one',
    })),
  );
}
