import { z } from 'zod';
import { listDeployments } from '../../db/deployments/deployments.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theService } from '../services/service.ts';
import { deploymentAnswer, deploymentPath, deploymentSchema } from './deployment.ts';
import { deploymentFilters } from './list-deployments.ts';

export const listServiceDeployments = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/deployments',
  summary: 'List deployments of a service, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: deploymentPath,
  query: z.strictObject({ environmentId: z.guid().toLowerCase().optional(), ...deploymentFilters }),
  paged: { after: createdPosition },
  result: deploymentSchema,
  async handle({ caller, path, query, database, page }) {
    const service = await caller.see(theService, path.id);
    const filter = { ...query, serviceId: service.id };
    const found = await listDeployments(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, ({ id }) => id, deploymentAnswer);
  },
});
