import { referredServices } from '../../db/references/referred.ts';
import { liveFiles } from '../../db/releases/live-files.ts';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { operation } from '../engine/operation.ts';
import { serviceAnswer, servicePath, serviceSchema, theService } from './service.ts';
import { inEnvironment, placeOf } from './service-place.ts';

export const getService = operation({
  method: 'GET',
  url: '/api/v1/services/{id}',
  summary: 'Get a service',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: servicePath,
  query: inEnvironment,
  result: serviceSchema,
  async handle({ caller, path, query, database: { kysely } }) {
    const service = await caller.see(theService, path.id);
    const { environmentId } = query;
    const place = environmentId === undefined ? undefined : await placeOf(kysely, caller, service, environmentId);
    const referred = place && (await referredServices(kysely, place, [service.id])).get(service.id);
    const file = place && (await liveFiles(kysely, place, [service.id])).get(service.id);
    return serviceAnswer(service, await servicesBySlug(kysely, service), place?.settings, referred, file);
  },
});
