import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { driftingServices, suspendedServices, unbuiltServices, whyFacts } from '../../db/why/why-facts.ts';
import { theDeployment } from '../deployments/deployment.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { environmentOf } from '../services/service-place.ts';
import { mostExplained, whyAnswer, whySchema } from './why.ts';

const whyDeployment = operation({
  method: 'GET',
  url: '/api/v1/deployments/{id}/why',
  summary: 'Tell why a deployment waits or failed, and who can change that',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theDeployment,
  result: whySchema,
  async handle({ found: { id }, caller, database }) {
    return whyAnswer(await whyFacts(database.kysely, caller.organization.id, { id }));
  },
});

/** Why of an environment's services, or of one of them. */
async function whyAt(
  kysely: Kysely<Tables>,
  { id: environmentId, organizationId }: EnvironmentView,
  serviceId?: string,
) {
  const at = { environmentId, serviceId };
  const most = serviceId === undefined ? mostExplained : 1;
  return whyAnswer(
    await whyFacts(kysely, organizationId, at),
    await suspendedServices(kysely, organizationId, at, most),
    await driftingServices(kysely, organizationId, at, most),
    await unbuiltServices(kysely, organizationId, at, most),
  );
}

const whyEnvironment = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/why',
  summary: 'Tell what the deployments of an environment wait for or failed by, the worst first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  result: whySchema,
  handle: async ({ found, database }) => await whyAt(database.kysely, found),
});

const whyService = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/why',
  summary: 'Tell what the deployments of a service in an environment wait for or failed by',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: whySchema,
  async handle({ found: service, caller, query, database }) {
    const environment = await environmentOf(caller, service, query.environmentId);
    return await whyAt(database.kysely, environment, service.id);
  },
});

export const why = {
  deployment: whyDeployment,
  environment: whyEnvironment,
  service: whyService,
};
