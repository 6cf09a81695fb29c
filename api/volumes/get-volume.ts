import { volumeUsage } from '../../db/workloads/volume-usage.ts';
import { Problem } from '../../domain/problems.ts';
import { volumeName } from '../../domain/services/volumes.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import { inEnvironment, placeOf } from '../services/service-place.ts';
import { theVolume, volumeAnswer, volumePath, volumeSchema } from './volume.ts';

export const getVolume = operation({
  method: 'GET',
  url: '/api/v1/volumes/{id}',
  summary: 'Get a volume',
  description: 'One that was deleted is answered as long as an environment had it once.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: volumePath,
  query: inEnvironment,
  result: volumeSchema,
  async handle({ caller, path, query, database: { kysely } }) {
    const volume = await caller.see(theVolume, path.id);
    if (query.environmentId === undefined) return volumeAnswer(volume);
    const service = await caller.see(theService, volume.serviceId);
    const place = await placeOf(kysely, caller, service, query.environmentId);
    const settings = place.settings.processes[volume.processId]?.volumes?.[volume.id];
    if (settings === undefined) {
      throw new Problem('not-found', `The volume is not in the environment "${place.name}".`);
    }
    const usage = await volumeUsage(kysely, service.organizationId, { ...place, serviceId: service.id });
    return volumeAnswer(volume, settings, usage.get(volumeName(volume.id)));
  },
});
