import { z } from 'zod';
import { promote as promoteRelease } from '../../db/deployments/promotion/promote.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theRelease } from '../releases/release.ts';
import { theService } from '../services/service.ts';
import { createdSchema, startBody, startedAnswer, startProblems } from './created-deployment.ts';
import { deploymentPath } from './deployment.ts';

export const promote = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/promote',
  summary: 'Promote a release to another environment',
  description:
    'Composes a release of the target: the image is that of the given release, to the byte; settings and variables are those applied in the target, and what is staged there stays staged. The source of the service there names the promoted digest from then on, so that later changes keep it. In production it is held until it is approved.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: [...startProblems, 'variables-missing', 'build-values-differ', 'capability-missing'],
  path: deploymentPath,
  body: startBody.extend({
    releaseId: z.guid().toLowerCase().describe('A release of this service in another environment of its project.'),
    toEnvironmentId: z.guid().toLowerCase(),
    missingAccepted: z
      .boolean()
      .default(false)
      .describe(
        'Go ahead although the target has no value for variables that the release has. Not asked again once such a release was live there.',
      ),
  }),
  status: 201,
  result: createdSchema,
  async handle({ caller, path, body: { releaseId, toEnvironmentId, ...body }, effect, server }) {
    const { id: serviceId, projectId, name } = await caller.see(theService, path.id, effect.kysely);
    const release = await caller.see(theRelease, releaseId, effect.kysely);
    const target = await caller.see(theEnvironment, toEnvironmentId, effect.kysely);
    if (release.serviceId !== serviceId) throw new Problem('not-found', `The release is not one of "${name}".`);
    if (target.projectId !== projectId) throw new Problem('not-found', 'The environment is of another project.');
    if (release.environmentId === target.id) {
      const message = `is the environment of the release: roll back or redeploy it in "${target.name}"`;
      const errors = [{ location: 'body.toEnvironmentId', message, value: toEnvironmentId }];
      throw new Problem('invalid-field', `body.toEnvironmentId ${message}.`, { errors });
    }
    const promotion = { organizationId: caller.organization.id, projectId, serviceId, releaseId };
    const asked = { ...body, answerableId: caller.answerableId };
    const place = { ...promotion, environmentId: target.id };
    const promoted = await promoteRelease(effect, server.keyring, place, asked);
    return await startedAnswer(effect, { ...place, id: promoted.releaseId }, promoted);
  },
});
