import { z } from 'zod';
import { listDeployments as deploymentsOf } from '../../db/deployments/deployments.ts';
import { deploymentStates } from '../../domain/deployments/states.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { deploymentAnswer, deploymentSchema } from './deployment.ts';

const id = z.guid().toLowerCase().optional();

export const deploymentFilters = {
  state: z.enum(deploymentStates).optional(),
  open: z.boolean().optional().describe('`true`: only those under way; `false`: only those that ended.'),
};

export const listDeployments = operation({
  method: 'GET',
  url: '/api/v1/deployments',
  summary: 'List deployments of the organization, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({
    ...{ projectId: id, environmentId: id, serviceId: id, changeSetId: id, releaseId: id },
    ...deploymentFilters,
  }),
  paged: { after: createdPosition },
  result: deploymentSchema,
  async handle({ caller, query, database, page }) {
    const filter = { ...query, projectIds: caller.projectIds };
    const found = await deploymentsOf(database.kysely, caller.organization.id, filter, oneMore(page));
    return pageOf(found, page, ({ id: last }) => last, deploymentAnswer);
  },
});
