import { driftingServices } from '../../db/why/drifting.ts';
import { suspendedServices } from '../../db/why/suspended.ts';
import { unbuiltServices } from '../../db/why/unbuilt.ts';
import { whyFacts } from '../../db/why/why-facts.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { mostExplained, whyAnswer, whySchema } from './why.ts';

export const whyEnvironment = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/why',
  summary: 'Tell what the deployments of an environment wait for or failed by, the worst first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
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
