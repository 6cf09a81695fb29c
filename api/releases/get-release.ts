import { z } from 'zod';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { lastDeploymentOf } from '../../db/releases/releases.ts';
import { deploymentAnswer, deploymentSchema } from '../deployments/deployment.ts';
import { operation } from '../engine/operation.ts';
import { releaseAnswer, releasePath, releaseSchema, theRelease } from './release.ts';

export const getRelease = operation({
  method: 'GET',
  url: '/api/v1/releases/{id}',
  summary: 'Get a release with its last deployment',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: releasePath,
  result: z.object({ release: releaseSchema, deployment: deploymentSchema.optional() }).meta({ id: 'ReleaseDetail' }),
  async handle({ caller, path, database }) {
    const { kysely } = database;
    const release = await caller.see(theRelease, path.id);
    const last = await lastDeploymentOf(kysely, release.organizationId, release.id);
    const deployment = last === undefined ? undefined : await findDeployment(kysely, release.organizationId, last);
    return {
      release: releaseAnswer(release),
      ...(deployment === undefined ? {} : { deployment: deploymentAnswer(deployment) }),
    };
  },
});
