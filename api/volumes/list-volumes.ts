import { volumesOfProcess } from '../../db/services/volumes.ts';
import { volumeUsage } from '../../db/workloads/volume-usage.ts';
import { Problem } from '../../domain/problems.ts';
import { volumeName } from '../../domain/services/volumes.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, pageOf } from '../engine/positions.ts';
import { processPath, theProcess } from '../processes/process.ts';
import { theService } from '../services/service.ts';
import { inEnvironment, placeOf } from '../services/service-place.ts';
import { volumeAnswer, volumeSchema } from './volume.ts';

export const listVolumes = operation({
  method: 'GET',
  url: '/api/v1/processes/{id}/volumes',
  summary: 'List the volumes of a process, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: processPath,
  query: inEnvironment,
  paged: { after: createdPosition },
  result: volumeSchema,
  async handle({ caller, path, query, database: { kysely }, page }) {
    const process = await caller.see(theProcess, path.id);
    const rows = await volumesOfProcess(kysely, process);
    const { after } = page;
    const beyond = rows.filter(({ createdAt, id }) => {
      const at = createdAt.toISOString();
      return after === undefined || at > after.createdAt || (at === after.createdAt && id > after.id);
    });
    if (query.environmentId === undefined) {
      const defined = beyond.filter(({ removedAt }) => removedAt === null);
      return pageOf(
        defined,
        page,
        ({ id }) => id,
        (volume) => volumeAnswer(volume),
      );
    }
    const service = await caller.see(theService, process.serviceId);
    const place = await placeOf(kysely, caller, service, query.environmentId);
    const settings = place.settings.processes[process.id];
    if (settings === undefined) {
      throw new Problem('not-found', `The process is not in the environment "${place.name}".`);
    }
    const usage = await volumeUsage(kysely, service.organizationId, { ...place, serviceId: service.id });
    const there = beyond.filter(({ id }) => settings.volumes?.[id] !== undefined);
    return pageOf(
      there,
      page,
      ({ id }) => id,
      (volume) => volumeAnswer(volume, settings.volumes?.[volume.id], usage.get(volumeName(volume.id))),
    );
  },
});
