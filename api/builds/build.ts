import { z } from 'zod';
import { type BuildView, findBuild } from '../../db/builds/builds.ts';
import { buildKinds, buildStates, buildTriggers, stepStates } from '../../domain/builds/states.ts';
import type { ToldConfig } from '../../domain/repository-config/told-config.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { resource } from '../engine/resource.ts';
import { configProblemSchema } from '../repository-config/effective-schema.ts';

export const theBuild = resource('build', findBuild, ({ projectId }) => projectId);

export const detectedBuildSchema = z
  .object({
    provider: z.string(),
    framework: z.string(),
    packageManager: z.string(),
    packageManagerPinned: z.string().describe('Its version, where the source names one.'),
    nodeVersion: z.string(),
    installCommand: z.string(),
    buildCommand: z.string(),
    startCommand: z.string(),
    outputDir: z.string(),
    port: z.int(),
    portSource: z.string().describe('By what the port was found, such as `script`.'),
    static: z.boolean().describe('Files that are served, in place of a program that is started.'),
    monorepo: z.boolean(),
    buildable: z.boolean(),
    signals: z.array(z.object({ path: z.string(), detail: z.string() })).describe('What led to this.'),
    envTemplate: z.string().describe('The template of variables, such as `.env.example`.'),
    requiredVariables: z
      .array(z.string())
      .describe('Names of those that it asks for, and that neither it nor anything else of the source gives.'),
    proposed: z
      .array(
        z.object({
          name: z.string().describe('`release`: the release command; otherwise the name of a further process.'),
          line: z.string(),
          command: z.array(z.string()).describe('As a setting of the service; empty until there is an image.'),
        }),
      )
      .describe(
        'Commands besides the start, of a Procfile or of a framework with migrations. Nothing runs them unasked.',
      ),
  })
  .meta({ id: 'DetectedBuild' });

const stepSchema = z
  .object({
    name: z.string(),
    status: z.enum(stepStates),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'BuildStep' });

const buildConfigSchema = z
  .object({
    status: z.enum(['ok', 'absent', 'invalid']),
    source: z.enum(['git', 'upload', '']).describe('Where it was read; empty: there is none.'),
    commit: z.string(),
    path: z.string(),
    summary: z.string(),
    problems: z.array(configProblemSchema).describe('With one, the build fails.'),
  })
  .meta({ id: 'BuildRepositoryConfig' });

export const buildSchema = z
  .object({
    id: z.guid(),
    number: z.int().describe('Of the service, from 1.'),
    projectId: z.guid(),
    environmentId: z.guid(),
    environmentName: z.string(),
    serviceId: z.guid(),
    serviceName: z.string(),
    clusterId: z.guid(),
    kind: z.enum(buildKinds),
    trigger: z.enum(buildTriggers),
    message: z
      .string()
      .describe('What changes, in the words of the person who requested it, or of its change set; empty: no words.'),
    status: z.enum(buildStates),
    blocker: z
      .string()
      .describe(
        'While it is queued: what it waits for. While it is open: the part of Ballast, or the agent, that is down. `temporal`: its workflow cannot be reached.',
      ),
    error: z.string().describe('Why it failed: the step, its last lines, and what to do.'),
    sourceId: z.guid().optional().describe('The uploaded source.'),
    repository: z.string(),
    branch: z.string(),
    commitSha: z.string(),
    commitMessage: z.string(),
    builder: z.object({ engine: z.string(), detection: detectedBuildSchema.optional() }).optional(),
    repositoryConfig: buildConfigSchema
      .optional()
      .describe('The configuration file of its source; absent until it is known whether there is one.'),
    steps: z.array(stepSchema),
    cache: z.object({ cachedSteps: z.int(), totalSteps: z.int() }),
    imageRef: z.string(),
    deploys: z.boolean().describe('What it builds is deployed with the settings that are applied then.'),
    downtimeAccepted: z.boolean().describe('Accepted for its deployment when the build was requested.'),
    releaseId: z.guid().optional(),
    deploymentId: z.guid().optional(),
    releaseError: z.string().describe('Why nothing was deployed of a build that succeeded.'),
    releaseErrorAt: z.iso.datetime().optional(),
    awaitsApproval: z
      .boolean()
      .describe('It is queued until an admin approves that its source sees the build variables of production.'),
    approvedBy: z.object({ id: z.string(), name: z.string() }).optional().describe('The admin who approved that.'),
    retryOf: z.guid().optional(),
    requestedBy: z.string(),
    actorUserId: z.guid().optional(),
    cancelRequested: z.boolean(),
    logLines: z.int(),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Build' });

export const logLineSchema = z
  .object({ at: z.iso.datetime(), seq: z.int(), text: z.string() })
  .meta({ id: 'BuildLogLine' });

export function buildAnswer(build: BuildView): AnswerOf<typeof buildSchema> {
  const { blocker, waitsForPart, state, cachedSteps, totalSteps, approvedById } = build;
  const message = build.message ?? '';
  return {
    ...build,
    message: build.title,
    status: state,
    blocker: waitsForPart ?? (blocker === null ? (state === 'queued' ? message : '') : 'temporal'),
    error: state === 'failed' || state === 'cancelled' ? message : '',
    sourceId: build.buildSourceId,
    builder: build.builder && builderAnswer(build.builder),
    repositoryConfig: build.repositoryConfig && configAnswer(build.repositoryConfig, build.commitSha),
    cache: { cachedSteps, totalSteps },
    imageRef: build.imageRef ?? '',
    approvedBy: approvedById === null ? null : { id: approvedById, name: build.approvedByName ?? '' },
    releaseError: build.releaseError ?? '',
    cancelRequested: build.cancelRequestedAt !== null,
  };
}

const toldLater = { envTemplate: '', requiredVariables: [], proposed: [] };

function builderAnswer({ engine, detection }: NonNullable<BuildView['builder']>) {
  // As the agent's report was parsed when it came; one of before has less.
  const detected = detection as Omit<z.output<typeof detectedBuildSchema>, keyof typeof toldLater> | undefined;
  return { engine: typeof engine === 'string' ? engine : '', detection: detected && { ...toldLater, ...detected } };
}

function configAnswer(config: ToldConfig, commitSha: string) {
  return { ...config, commit: config.status === 'absent' ? '' : commitSha };
}
