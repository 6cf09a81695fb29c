import { isDeepStrictEqual } from 'node:util';
import { isDeploymentFinal } from '../../domain/deployments/states.ts';
import { operation } from '../engine/operation.ts';
import { deploymentPath, deploymentSchema, progressOf } from './deployment.ts';
import type { ProgressReaders } from './progress/progress-readers.ts';

const progressSchema = deploymentSchema.pick({ id: true, state: true, blocker: true, message: true, stages: true });

export const streamDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/stream',
  summary: 'Stream the state of a deployment',
  description:
    'An event for the state of now, and for each change. Nothing follows a final state. A deployment that cannot be read closes the stream without a word.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  path: deploymentPath,
  stream: { kind: 'other', events: { state: progressSchema.meta({ id: 'DeploymentProgress' }) } },
  async *handle({ caller, path, server, signal }) {
    let told: unknown;
    const { progress }: { progress: ProgressReaders } = server;
    for await (const deployment of progress.follow(caller.organization.id, path.id, signal)) {
      if (deployment === undefined || !caller.seesProject(deployment.projectId)) return;
      const data = { id: deployment.id, state: deployment.state, ...progressOf(deployment) };
      if (!isDeepStrictEqual(data, told)) yield { event: 'state', data };
      if (isDeploymentFinal(deployment.state)) return;
      told = data;
    }
  },
});
