import { z } from 'zod';
import { liveRelease } from '../../db/deployments/release-to-deploy.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { createdSchema, startBody, startDeployment, startProblems } from './created-deployment.ts';
import { deploymentPath } from './deployment.ts';

export const redeploy = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/redeploy',
  summary: 'Deploy the live release again',
  description: 'The same bytes in new instances. In production it is held until it is approved.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: startProblems,
  path: deploymentPath,
  body: startBody.extend({ environmentId: z.guid().toLowerCase() }),
  status: 201,
  result: createdSchema,
  async handle({ caller, path, body: { environmentId, ...body }, effect, server }) {
    const service = await caller.see(theService, path.id, effect.kysely);
    const environment = await caller.see(theEnvironment, environmentId, effect.kysely);
    if (environment.projectId !== service.projectId)
      throw new Problem('not-found', 'The environment is of another project.');
    const place = { organizationId: caller.organization.id, environmentId: environment.id, serviceId: service.id };
    const release = await liveRelease(effect.kysely, place);
    if (release === undefined) {
      throw new Problem('conflict', `Nothing of "${service.name}" is live in "${environment.name}": deploy it first.`);
    }
    return await startDeployment({ caller, effect, server, release, kind: 'redeploy', body });
  },
});
