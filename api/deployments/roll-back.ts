import { operation } from '../engine/operation.ts';
import { createdSchema, startBody, startDeployment, startProblems, theReleaseToDeploy } from './created-deployment.ts';
import { deploymentPath } from './deployment.ts';

export const rollBack = operation({
  method: 'POST',
  url: '/api/v1/releases/{id}/rollback',
  summary: 'Roll back to a release',
  description:
    'Deploys the release as it was frozen, and makes its settings and variables those of its environment; staged changes stay, and so does the number of replicas. It goes first in the queue, and asks a deployment that rolls there to cancel. In production it is held until it is approved.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: startProblems,
  path: deploymentPath,
  body: startBody.optional(),
  status: 201,
  result: createdSchema,
  async handle({ caller, path, body, effect, server }) {
    const release = await caller.see(theReleaseToDeploy, path.id, effect.kysely);
    return await startDeployment({
      caller,
      effect,
      server,
      release,
      kind: 'rollback',
      body: body ?? startBody.parse({}),
    });
  },
});
