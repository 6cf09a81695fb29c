import { whyFacts } from '../../db/why/why-facts.ts';
import { deploymentPath, theDeployment } from '../deployments/deployment.ts';
import { operation } from '../engine/operation.ts';
import { whyAnswer, whySchema } from './why.ts';

export const whyDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/why',
  summary: 'Tell why a deployment waits or failed, and who can change that',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: deploymentPath,
  result: whySchema,
  async handle({ caller, path, database }) {
    const { id } = await caller.see(theDeployment, path.id);
    return whyAnswer(await whyFacts(database.kysely, caller.organization.id, { id }));
  },
});
