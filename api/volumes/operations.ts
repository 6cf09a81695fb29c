import { z } from 'zod';
import { definedSettings } from '../../db/change-sets/applied.ts';
import { deleteUnmounted } from '../../db/services/removal/left-volumes.ts';
import { recordService } from '../../db/services/services.ts';
import {
  forgetVolumes,
  growVolume,
  createVolume as newRow,
  removeVolume,
  type VolumeView,
  volumesOfProcess,
} from '../../db/services/volumes.ts';
import { volumeUsage } from '../../db/workloads/volume-usage.ts';
import { Problem } from '../../domain/problems.ts';
import { mountFaults } from '../../domain/services/process-faults.ts';
import { emptyDefinition, type ServiceSettings, type VolumeSettings } from '../../domain/services/settings.ts';
import { addedVolumeFaults, mostVolumes, volumeFaults, volumeName, volumesOf } from '../../domain/services/volumes.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, pageOf } from '../engine/positions.ts';
import { theProcess } from '../processes/process.ts';
import { theService } from '../services/service.ts';
import {
  inEnvironment,
  lockedWithService,
  partIn,
  placesWith,
  stagedInEnvironment,
  stageIn,
} from '../services/service-place.ts';
import { sizeBytes, theVolume, volumeAnswer, volumeSchema } from './volume.ts';

const createVolume = operation({
  method: 'POST',
  url: '/api/v1/processes/{id}/volumes',
  summary: 'Create a volume of a process',
  description:
    'A directory that outlives the instances. It is mounted in an environment once the staged changes there are applied. The process has one instance at a time from then on, which ends before its successor starts.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'quota-reached', 'capability-missing'],
  query: stagedInEnvironment,
  body: z.strictObject({
    name: z.string().max(40).describe('Unique among the volumes of the service.'),
    mountPath: z.string().max(1024).describe('An absolute path, outside of the other volumes of the process.'),
    sizeBytes,
    storageClass: z.string().max(253).default('').describe('Empty: no cluster of this version has storage classes.'),
  }),
  status: 201,
  result: volumeSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const { service, part: process } = await lockedWithService(effect, caller, theProcess, path.id);
    const { id: processId, serviceId } = process;
    const own = volumeFaults(body);
    if (own.length > 0) throw invalidFields(own.map(at));
    if (body.storageClass !== '') {
      throw new Problem(
        'capability-missing',
        'No cluster of this version has storage classes: leave storageClass out.',
      );
    }
    const there = (processes: ServiceSettings['processes']) => processes[processId];
    const places = await placesWith(effect, caller, service, query.environmentId, 'process', there);
    for (const { name, settings } of places) refuseUnfit(settings, processId, body, ` in the environment "${name}"`);
    const elsewhere = query.environmentId === undefined ? undefined : await definedElsewhere();
    const definition = await definedSettings(effect.kysely, service.organizationId, serviceId);
    if (elsewhere === undefined) {
      refuseUnfit(definition ?? { ...emptyDefinition, processes: {} }, processId, body, '');
    }
    const volume = elsewhere ?? (await newRow(effect, process, body));
    const item = { kind: 'volume.create' as const, serviceId, processId, volumeId: volume.id };
    await stageIn(effect, server.keyring, places, [{ ...item, key: body.name, to: body }], caller);
    recordService(effect, 'service.updated', service, { volumes: { from: null, to: body.name } });
    return volumeAnswer(volume, body);

    /** The volume of this name that other environments have: it is the same one, with data of its own in each. */
    async function definedElsewhere(): Promise<VolumeView | undefined> {
      return (await volumesOfProcess(effect.kysely, process)).find(
        ({ definition: { name }, removedAt }) => removedAt === null && name === body.name,
      );
    }
  },
});

function at({ field, message }: { field: string; message: string }) {
  return { location: `body.${field}`, message };
}

function refuseUnfit(settings: ServiceSettings, processId: string, volume: VolumeSettings, where: string): void {
  const process = settings.processes[processId];
  if (process !== undefined) {
    const [fault] = mountFaults({ ...process, volumes: { new: volume } });
    if (fault !== undefined) {
      throw new Problem(
        'conflict',
        `The process "${process.name}" cannot have a volume${where}: its ${fault.field} ${fault.message}. Change that first.`,
      );
    }
  }
  const faults = addedVolumeFaults(settings, processId, volume);
  const [taken] = faults.filter(({ field }) => field === 'name');
  if (taken !== undefined) {
    const message = `${taken.message}${where}; choose another one`;
    throw new Problem('conflict', `"${volume.name}" ${message}.`, {
      errors: [{ location: 'body.name', message, value: volume.name }],
    });
  }
  if (faults.length > 0) throw invalidFields(faults.map((fault) => at({ ...fault, message: fault.message + where })));
  if (Object.values(settings.processes).flatMap(volumesOf).length < mostVolumes) return;
  throw new Problem('quota-reached', `The service has ${mostVolumes} volumes${where}: delete one that is not needed.`);
}

/** A volume's settings among those of its service. */
export function settingsOf({ id, processId }: VolumeView) {
  return (processes: ServiceSettings['processes']) => processes[processId]?.volumes?.[id];
}

const changeVolume = operation({
  method: 'PATCH',
  url: '/api/v1/volumes/{id}',
  summary: 'Grow a volume',
  description: 'The change is staged, and replaces no instance. A volume only grows.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  query: stagedInEnvironment,
  body: z.strictObject({ sizeBytes }),
  result: volumeSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const { service, part: volume } = await lockedWithService(effect, caller, theVolume, path.id);
    const { serviceId, processId, definition } = volume;
    const places = await placesWith(effect, caller, service, query.environmentId, 'volume', settingsOf(volume));
    const [only] = query.environmentId === undefined ? [] : places;
    const smaller = places.find(({ part }) => part.sizeBytes > body.sizeBytes);
    if (smaller !== undefined || (only === undefined && definition.sizeBytes > body.sizeBytes)) {
      const is = smaller?.part.sizeBytes ?? definition.sizeBytes;
      const where = smaller === undefined ? '' : ` in the environment "${smaller.name}"`;
      const message = `must be at least ${is.toLocaleString('en')}, its size${where}: a volume only grows`;
      throw invalidField('body.sizeBytes', message, body.sizeBytes);
    }
    const item = { kind: 'volume.grow' as const, serviceId, processId, volumeId: volume.id, key: definition.name };
    await stageIn(effect, server.keyring, places, [{ ...item, to: body.sizeBytes }], caller);
    if (only !== undefined) return volumeAnswer(volume, { ...only.part, ...body });
    if (definition.sizeBytes !== body.sizeBytes) {
      await growVolume(effect, volume, body.sizeBytes);
      const sizes = { from: definition.sizeBytes, to: body.sizeBytes };
      recordService(effect, 'service.updated', service, { volume: definition.name, sizeBytes: sizes });
    }
    return volumeAnswer(volume, { ...definition, ...body });
  },
});

const deleteVolume = operation({
  method: 'DELETE',
  url: '/api/v1/volumes/{id}',
  summary: 'Delete a volume of a process',
  description:
    'It is mounted in an environment no more once the staged changes there are applied. Once no environment mounts it, it is listed by `GET /api/v1/deleted`: its data stay on the cluster until the retention has passed, and it can be restored. A rollback to a release that mounts it has them again.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  query: stagedInEnvironment,
  async handle({ caller, path, query, effect, server }) {
    const { service, part: volume } = await lockedWithService(effect, caller, theVolume, path.id);
    const { id, organizationId, serviceId, processId, definition } = volume;
    const places = await placesWith(effect, caller, service, query.environmentId, 'volume', settingsOf(volume));
    const item = { kind: 'volume.delete' as const, serviceId, processId, volumeId: id, key: definition.name };
    await stageIn(effect, server.keyring, places, [item], caller);
    if (query.environmentId === undefined) await removeVolume(effect, volume);
    await forgetVolumes(effect, organizationId, [id]);
    await deleteUnmounted(effect, { organizationId, projectId: service.projectId, serviceId });
    recordService(effect, 'service.updated', service, { volumes: { from: definition.name, to: null } });
  },
});

const getVolume = operation({
  method: 'GET',
  url: '/api/v1/volumes/{id}',
  summary: 'Get a volume',
  description: 'One that was deleted is answered as long as an environment had it once.',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theVolume,
  query: inEnvironment,
  result: volumeSchema,
  async handle({ found: volume, caller, query, database: { kysely } }) {
    if (query.environmentId === undefined) return volumeAnswer(volume);
    const service = await caller.see(theService, volume.serviceId);
    const place = await partIn(kysely, caller, service, query.environmentId, 'volume', settingsOf(volume));
    const usage = await volumeUsage(kysely, service.organizationId, { ...place, serviceId: service.id });
    return volumeAnswer(volume, place.part, usage.get(volumeName(volume.id)));
  },
});

const listVolumes = operation({
  method: 'GET',
  url: '/api/v1/processes/{id}/volumes',
  summary: 'List the volumes of a process, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProcess,
  query: inEnvironment,
  paged: { after: createdPosition },
  result: volumeSchema,
  async handle({ found: process, caller, query, database: { kysely }, page }) {
    const rows = await volumesOfProcess(kysely, process);
    const { after } = page;
    const beyond = rows.filter(({ createdAt, id }) => {
      const at = createdAt.toISOString();
      return after === undefined || at > after.createdAt || (at === after.createdAt && id > after.id);
    });
    if (query.environmentId === undefined) {
      const defined = beyond.filter(({ removedAt }) => removedAt === null);
      return pageOf(defined, page, (volume) => volumeAnswer(volume));
    }
    const service = await caller.see(theService, process.serviceId);
    const place = await partIn(kysely, caller, service, query.environmentId, 'process', (all) => all[process.id]);
    const { volumes = {} } = place.part;
    const usage = await volumeUsage(kysely, service.organizationId, { ...place, serviceId: service.id });
    const there = beyond.filter(({ id }) => volumes[id] !== undefined);
    return pageOf(there, page, (volume) => volumeAnswer(volume, volumes[volume.id], usage.get(volumeName(volume.id))));
  },
});

export const volumes = {
  list: listVolumes,
  create: createVolume,
  get: getVolume,
  change: changeVolume,
  delete: deleteVolume,
};
