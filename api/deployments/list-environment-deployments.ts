import { z } from 'zod';
import { listDeployments } from '../../db/deployments/deployments.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { deploymentAnswer, deploymentSchema } from './deployment.ts';
import { deploymentFilters } from './list-deployments.ts';

export const listEnvironmentDeployments = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/deployments',
  summary: 'List deployments of an environment, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  query: z.strictObject({ serviceId: z.guid().toLowerCase().optional(), ...deploymentFilters }),
  paged: { after: createdPosition },
  result: deploymentSchema,
  async handle({ caller, path, query, database, page }) {
    const environment = await caller.see(theEnvironment, path.id);
    const filter = { ...query, environmentId: environment.id };
    const found = await listDeployments(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, ({ id }) => id, deploymentAnswer);
  },
});
