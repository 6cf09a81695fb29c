import { z } from 'zod';
import { driftingServices, suspendedServices, unbuiltServices, whyFacts } from '../../db/why/why-facts.ts';
import { Problem } from '../../domain/problems.ts';
import { theDeployment } from '../deployments/deployment.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { mostExplained, whyAnswer, whySchema } from './why.ts';

const whyDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/why',
  summary: 'Tell why a deployment waits or failed, and who can change that',
  role: 'viewer',
  projectTokens: 'allowed',
  result: whySchema,
  async handle({ caller, path, database }) {
    const { id } = await caller.see(theDeployment, path.id);
    return whyAnswer(await whyFacts(database.kysely, caller.organization.id, { id }));
  },
});

const whyEnvironment = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/why',
  summary: 'Tell what the deployments of an environment wait for or failed by, the worst first',
  role: 'viewer',
  projectTokens: 'allowed',
  result: whySchema,
  async handle({ caller, path, database }) {
    const { id: environmentId } = await caller.see(theEnvironment, path.id);
    const organizationId = caller.organization.id;
    return whyAnswer(
      await whyFacts(database.kysely, organizationId, { environmentId }),
      await suspendedServices(database.kysely, organizationId, { environmentId }, mostExplained),
      await driftingServices(database.kysely, organizationId, { environmentId }, mostExplained),
      await unbuiltServices(database.kysely, organizationId, { environmentId }, mostExplained),
    );
  },
});

const whyService = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/why',
  summary: 'Tell what the deployments of a service in an environment wait for or failed by',
  role: 'viewer',
  projectTokens: 'allowed',
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

export const why = {
  deployment: whyDeployment,
  environment: whyEnvironment,
  service: whyService,
};
