import { z } from 'zod';
import { planRerun } from '../../db/deployments/rerun/plan-rerun.ts';
import { deploymentStages } from '../../domain/deployments/states.ts';
import { operation } from '../engine/operation.ts';
import { createdSchema, startBody, startDeployment, startProblems, theReleaseToDeploy } from './created-deployment.ts';
import { deploymentPath, theDeployment } from './deployment.ts';

const rerunBody = startBody.extend({
  fromStage: z
    .enum(deploymentStages)
    .optional()
    .describe(
      'A stage that the deployment reached. Behind `approval`, an approval that was given for the same release counts again if nothing that it relied on has changed since. Absent: anew, with an approval where one is needed.',
    ),
});

export const rerun = operation({
  method: 'POST',
  url: '/api/v1/deployments/{id}/rerun',
  summary: 'Rerun a deployment that did not go live',
  description:
    'A new deployment of the same release, of one that failed, was cancelled, or expired. 409 where something newer is live, under way or applied there.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: startProblems,
  path: deploymentPath,
  body: rerunBody.optional(),
  status: 201,
  result: createdSchema,
  async handle({ caller, path, body, effect, server }) {
    const { fromStage, ...more } = body ?? rerunBody.parse({});
    const deployment = await caller.see(theDeployment, path.id, effect.kysely);
    const release = await caller.see(theReleaseToDeploy, deployment.releaseId, effect.kysely);
    const planned = await planRerun(effect, path.id, release, fromStage);
    return await startDeployment({ caller, effect, server, release, kind: 'rerun', rerun: planned, body: more });
  },
});
