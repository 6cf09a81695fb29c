import { z } from 'zod';
import { lockService, recordService } from '../../db/services/services.ts';
import { growVolume } from '../../db/services/volumes.ts';
import { Problem } from '../../domain/problems.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import { placesOf, stagedInEnvironment, stageIn } from '../services/service-place.ts';
import { sizeBytes, theVolume, volumeAnswer, volumePath, volumeSchema } from './volume.ts';

export const changeVolume = operation({
  method: 'PATCH',
  url: '/api/v1/volumes/{id}',
  summary: 'Grow a volume',
  description: 'The change is staged, and replaces no instance. A volume only grows.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: volumePath,
  query: stagedInEnvironment,
  body: z.strictObject({ sizeBytes }),
  result: volumeSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const { serviceId } = await caller.see(theVolume, path.id, effect.kysely);
    const service = await caller.see(theService, serviceId, effect.kysely);
    await lockService(effect, service);
    const volume = await caller.see(theVolume, path.id, effect.kysely);
    const { processId, definition } = volume;
    const all = await placesOf(effect, caller, service, query.environmentId);
    const places = all.flatMap((place) => {
      const settings = place.settings.processes[processId]?.volumes?.[volume.id];
      return settings === undefined ? [] : [{ ...place, volume: settings }];
    });
    const [only] = query.environmentId === undefined ? [] : places;
    if (only === undefined && query.environmentId !== undefined) {
      throw new Problem('not-found', `The volume is not in the environment "${all[0]?.name}".`);
    }
    const smaller = places.find((place) => place.volume.sizeBytes > body.sizeBytes);
    if (smaller !== undefined || (only === undefined && definition.sizeBytes > body.sizeBytes)) {
      const is = smaller?.volume.sizeBytes ?? definition.sizeBytes;
      const where = smaller === undefined ? '' : ` in the environment "${smaller.name}"`;
      const message = `must be at least ${is.toLocaleString('en')}, its size${where}: a volume only grows`;
      throw invalidFields([{ location: 'body.sizeBytes', message, value: body.sizeBytes }]);
    }
    const item = { kind: 'volume.grow' as const, serviceId, processId, volumeId: volume.id, key: definition.name };
    await stageIn(effect, server.keyring, places, [{ ...item, to: body.sizeBytes }], caller);
    if (only !== undefined) return volumeAnswer(volume, { ...only.volume, ...body });
    if (definition.sizeBytes !== body.sizeBytes) {
      await growVolume(effect, volume, body.sizeBytes);
      const sizes = { from: definition.sizeBytes, to: body.sizeBytes };
      recordService(effect, 'service.updated', service, { volume: definition.name, sizeBytes: sizes });
    }
    return volumeAnswer(volume, { ...definition, ...body });
  },
});
