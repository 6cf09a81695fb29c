import { z } from 'zod';
import { type DeploymentView, findDeployment } from '../../db/deployments/deployments.ts';
import { releaseCommandFailures } from '../../domain/deployments/release-command.ts';
import { deploymentKinds, deploymentStages, deploymentStates } from '../../domain/deployments/states.ts';
import { resource } from '../engine/resource.ts';

export const theDeployment = resource('deployment', findDeployment, ({ projectId }) => projectId);

export const deploymentPath = z.strictObject({ id: z.guid().toLowerCase() });

export const stageSchema = z
  .object({
    stage: z.enum(deploymentStages),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    detail: z.string(),
  })
  .meta({ id: 'DeploymentStage' });

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
  })
  .meta({ id: 'DeploymentFailure' });

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
    approvalId: z.guid().optional(),
    changeSetId: z.guid().optional(),
    changeSetMessage: z.string(),
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

export function deploymentAnswer(deployment: DeploymentView): z.output<typeof deploymentSchema> {
  const { id, projectId, projectName, environmentId, environmentName, serviceId, serviceName } = deployment;
  const { releaseId, releaseNumber } = deployment;
  const { kind, state, serving, approvalId, changeSetId, changeSetMessage, requestedBy, downtimeAccepted, rerunOf } =
    deployment;
  return {
    ...{
      ...{ id, projectId, projectName, environmentId, environmentName, serviceId, serviceName },
      ...{ releaseId, releaseNumber, kind, state, serving },
    },
    ...progressOf(deployment),
    ...(deployment.failure === null ? {} : { failure: failureAnswer(deployment.failure) }),
    ...(approvalId === null ? {} : { approvalId }),
    ...(changeSetId === null ? {} : { changeSetId }),
    ...{ changeSetMessage, requestedBy, downtimeAccepted },
    cancelRequested: deployment.cancelRequestedAt !== null,
    ...(rerunOf === null ? {} : { rerunOf }),
    ...(deployment.fromStage === null ? {} : { fromStage: deployment.fromStage }),
    ...(deployment.rerunId === null ? {} : { rerunId: deployment.rerunId }),
    createdAt: deployment.createdAt.toISOString(),
    ...(deployment.finishedAt === null ? {} : { finishedAt: deployment.finishedAt.toISOString() }),
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
  const end = typeof exit === 'object' && exit !== null && !Array.isArray(exit) ? exit : {};
  return {
    process: typeof process === 'string' ? process : '',
    instance: typeof instance === 'string' ? instance : '',
    ...(typeof end.code === 'number' ? { exitCode: end.code } : {}),
    signal: typeof end.signal === 'string' ? end.signal : '',
    outOfMemory: end.outOfMemory === true,
    lines: Array.isArray(lines) ? lines.map(String) : [],
    ...(releaseCommand === undefined ? {} : { releaseCommand }),
  };
}
