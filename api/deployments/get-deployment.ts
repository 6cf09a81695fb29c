import { operation } from '../engine/operation.ts';
import { deploymentAnswer, deploymentPath, deploymentSchema, theDeployment } from './deployment.ts';

export const getDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}',
  summary: 'Get a deployment',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: deploymentPath,
  result: deploymentSchema,
  handle: async ({ caller, path }) => deploymentAnswer(await caller.see(theDeployment, path.id)),
});
