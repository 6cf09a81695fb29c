import { z } from 'zod';
import { driftingServices } from '../../db/why/drifting.ts';
import { suspendedServices } from '../../db/why/suspended.ts';
import { unbuiltServices } from '../../db/why/unbuilt.ts';
import { whyFacts } from '../../db/why/why-facts.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { servicePath, theService } from '../services/service.ts';
import { whyAnswer, whySchema } from './why.ts';

export const whyService = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/why',
  summary: 'Tell what the deployments of a service in an environment wait for or failed by',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: servicePath,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: whySchema,
  async handle({ caller, path, query, database }) {
    const service = await caller.see(theService, path.id);
    const environment = await caller.see(theEnvironment, query.environmentId);
    if (environment.projectId !== service.projectId) {
      throw new Problem('not-found', 'The environment is of another project.');
    }
    const of = { environmentId: environment.id, serviceId: service.id };
    const organizationId = caller.organization.id;
    return whyAnswer(
      await whyFacts(database.kysely, organizationId, of),
      await suspendedServices(database.kysely, organizationId, of, 1),
      await driftingServices(database.kysely, organizationId, of, 1),
      await unbuiltServices(database.kysely, organizationId, of, 1),
    );
  },
});
