import { deleteProcess as remove } from '../../db/services/processes.ts';
import { deleteUnmounted } from '../../db/services/removal/unmounted-volumes.ts';
import { lockService, recordService } from '../../db/services/services.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import { placesOf, stagedInEnvironment, stageIn } from '../services/service-place.ts';
import { processPath, theProcess } from './process.ts';

export const deleteProcess = operation({
  method: 'DELETE',
  url: '/api/v1/processes/{id}',
  summary: 'Delete a process of a service',
  description:
    'It stops in an environment once the staged changes there are applied. The only process of a service stays. The data of its volumes are listed by `GET /api/v1/deleted` then, and can be restored until the retention has passed.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: processPath,
  query: stagedInEnvironment,
  async handle({ caller, path, query, effect, server }) {
    const process = await caller.see(theProcess, path.id, effect.kysely);
    const service = await caller.see(theService, process.serviceId, effect.kysely);
    await lockService(effect, service);
    const all = await placesOf(effect, caller, service, query.environmentId);
    const places = all.filter(({ settings }) => settings.processes[process.id] !== undefined);
    for (const { name, settings } of places) {
      if (Object.keys(settings.processes).length > 1) continue;
      throw new Problem(
        'conflict',
        `"${process.name}" is the only process of the service "${service.name}" in the environment "${name}": create another one first, or remove the service.`,
      );
    }
    const item = { kind: 'process.delete' as const, serviceId: service.id, processId: process.id, key: '' };
    await stageIn(effect, server.keyring, places, [item], caller);
    // Where it runs, its definition stays until that is applied.
    if (query.environmentId === undefined && places.length === 0) {
      await remove(effect, process);
      await deleteUnmounted(effect, { ...service, serviceId: service.id });
    }
    recordService(effect, 'service.updated', service, { processes: { from: process.name, to: null } });
  },
});
