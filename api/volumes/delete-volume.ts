import { deleteUnmounted } from '../../db/services/removal/unmounted-volumes.ts';
import { lockService, recordService } from '../../db/services/services.ts';
import { forgetVolumes, removeVolume } from '../../db/services/volumes.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import { placesOf, stagedInEnvironment, stageIn } from '../services/service-place.ts';
import { theVolume, volumePath } from './volume.ts';

export const deleteVolume = operation({
  method: 'DELETE',
  url: '/api/v1/volumes/{id}',
  summary: 'Delete a volume of a process',
  description:
    'It is mounted in an environment no more once the staged changes there are applied. Once no environment mounts it, it is listed by `GET /api/v1/deleted`: its data stay on the cluster until the retention has passed, and it can be restored. A rollback to a release that mounts it has them again.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: volumePath,
  query: stagedInEnvironment,
  async handle({ caller, path, query, effect, server }) {
    const { serviceId } = await caller.see(theVolume, path.id, effect.kysely);
    const service = await caller.see(theService, serviceId, effect.kysely);
    await lockService(effect, service);
    const volume = await caller.see(theVolume, path.id, effect.kysely);
    const { id, organizationId, processId, definition } = volume;
    const all = await placesOf(effect, caller, service, query.environmentId);
    const places = all.filter(({ settings }) => settings.processes[processId]?.volumes?.[id] !== undefined);
    if (query.environmentId !== undefined && places.length === 0) {
      throw new Problem('not-found', `The volume is not in the environment "${all[0]?.name}".`);
    }
    const item = { kind: 'volume.delete' as const, serviceId, processId, volumeId: id, key: definition.name };
    await stageIn(effect, server.keyring, places, [item], caller);
    if (query.environmentId === undefined) await removeVolume(effect, volume);
    await forgetVolumes(effect, organizationId, [id]);
    await deleteUnmounted(effect, { organizationId, projectId: service.projectId, serviceId });
    recordService(effect, 'service.updated', service, { volumes: { from: definition.name, to: null } });
  },
});
