import { z } from 'zod';
import { type DeploymentView, findDeployment } from '../../db/deployments/deployments.ts';
import { defined } from '../../domain/defined.ts';
import { answerSentence } from '../../domain/deployments/answer-faults.ts';
import { releaseCommandFailures } from '../../domain/deployments/release-command.ts';
import { deploymentKinds, deploymentStages, deploymentStates } from '../../domain/deployments/states.ts';
import { answerFault, listening } from '../../protocol/observed.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { resource } from '../engine/resource.ts';

export const theDeployment = resource('deployment', findDeployment, ({ projectId }) => projectId);

/** Of what starts deployments. */
export const downtimeAccepted = z
  .boolean()
  .default(false)
  .describe(
    'Go ahead although a process with a volume is down for a moment. Remembered while the same volumes are mounted.',
  );

export const stageSchema = z
  .object({
    stage: z.enum(deploymentStages),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    detail: z.string(),
  })
  .meta({ id: 'DeploymentStage' });

const listeningSchema = listening
  .extend({
    port: listening.shape.port.describe('Given to it as PORT.'),
    ownNetwork: listening.shape.ownNetwork.describe('A container: nothing outside of it reaches its loopback.'),
    fixedPort: listening.shape.fixedPort.describe('Its process has a fixed port, or its cluster could give it one.'),
  })
  .meta({ id: 'Listening' });

const unsetSchema = z
  .object({ path: z.string().describe('Of the template, such as `.env.example`.'), names: z.array(z.string()) })
  .meta({ id: 'UnsetVariables' });

const failureSchema = z
  .object({
    process: z.string(),
    instance: z.string(),
    exitCode: z.int().optional(),
    signal: z.string(),
    outOfMemory: z.boolean(),
    lines: z.array(z.string()).describe('The last lines that it wrote.'),
    releaseCommand: z
      .enum(releaseCommandFailures)
      .optional()
      .describe(
        'The release command failed: by its exit, by its time, before it started, or nobody knows whether it ran.',
      ),
    listening: listeningSchema
      .optional()
      .describe('Where it listened, while nobody answered at its port. `message` says it as a sentence.'),
    unset: unsetSchema
      .optional()
      .describe(
        'It ended by itself, and the template of its source asks for variables that nobody has set. `message` begins with it as a sentence.',
      ),
    answer: answerFault
      .optional()
      .describe('The setting that its last answer to a check shows not to fit. `message` says it as a sentence.'),
  })
  .meta({ id: 'DeploymentFailure' });

export const warningSchema = answerFault
  .extend({ message: z.string().describe('The setting that does not fit, and what to do, as a sentence.') })
  .meta({ id: 'DeploymentWarning' });

export const deploymentSchema = z
  .object({
    id: z.guid(),
    projectId: z.guid(),
    projectName: z.string(),
    environmentId: z.guid(),
    environmentName: z.string(),
    serviceId: z.guid(),
    serviceName: z.string(),
    releaseId: z.guid(),
    releaseNumber: z.int(),
    kind: z.enum(deploymentKinds),
    state: z.enum(deploymentStates),
    serving: z.boolean().describe('Its release serves in its environment now.'),
    blocker: z.string().describe('The code of what it waits for or failed by; empty: nothing.'),
    message: z.string().describe('The same as a sentence, with who can end the wait.'),
    stages: z.array(stageSchema),
    failure: failureSchema.optional().describe('The instance by which the rollout failed.'),
    warnings: z
      .array(warningSchema)
      .describe('Of one that is live: what a visitor gets instead of it, when it was asked once at its end.'),
    approvalId: z.guid().optional(),
    changeSetId: z.guid().optional(),
    changeSetMessage: z.string().describe('The message of its change set, or of the build that it deploys.'),
    requestedBy: z.string().describe('The name of the person or token.'),
    cancelRequested: z.boolean(),
    downtimeAccepted: z.boolean(),
    rerunOf: z.guid().optional().describe('The deployment that it repeats.'),
    fromStage: z.enum(deploymentStages).optional().describe('Of a rerun: the stage from which; absent: anew.'),
    rerunId: z.guid().optional().describe('The newest deployment that repeats this one.'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Deployment' });

export function deploymentAnswer(deployment: DeploymentView): AnswerOf<typeof deploymentSchema> {
  return {
    ...deployment,
    ...progressOf(deployment),
    failure: deployment.failure && failureAnswer(deployment.failure),
    warnings: warningsAnswer(deployment.warnings),
    cancelRequested: deployment.cancelRequestedAt !== null,
  };
}

/** The part of a deployment that changes while it runs. */
export function progressOf({ blocker, waitsFor, message, stages }: DeploymentView) {
  return {
    blocker: blocker === null ? (waitsFor ?? '') : 'temporal',
    message: blocker ?? message ?? '',
    stages: stages.map(({ stage, startedAt, endedAt, detail = '' }) => ({
      ...{ stage, startedAt, detail },
      ...(endedAt === undefined ? {} : { endedAt }),
    })),
  };
}

export function failureAnswer(failure: NonNullable<DeploymentView['failure']>): z.output<typeof failureSchema> {
  const { process, instance, exit, lines } = failure;
  const releaseCommand = releaseCommandFailures.find((one) => one === failure.releaseCommand);
  const where = listening.safeParse(failure.listening).data;
  const answer = answerFault.safeParse(failure.answer).data;
  const unset = unsetSchema.safeParse(failure.unset).data;
  const end = typeof exit === 'object' && exit !== null && !Array.isArray(exit) ? exit : {};
  return {
    process: typeof process === 'string' ? process : '',
    instance: typeof instance === 'string' ? instance : '',
    ...(typeof end.code === 'number' ? { exitCode: end.code } : {}),
    signal: typeof end.signal === 'string' ? end.signal : '',
    outOfMemory: end.outOfMemory === true,
    lines: Array.isArray(lines) ? lines.map(String) : [],
    ...defined({ releaseCommand, listening: where, unset, answer }),
  };
}

/** Those of a kind that this version knows. */
export function warningsAnswer(warnings: DeploymentView['warnings']): z.output<typeof warningSchema>[] {
  return warnings.flatMap((warning) => {
    const { data } = answerFault.safeParse(warning);
    return data === undefined ? [] : [{ ...data, message: answerSentence(data) }];
  });
}
