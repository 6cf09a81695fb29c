import { z } from 'zod';
import { definedSettings } from '../../db/change-sets/applied.ts';
import { lockService, recordService } from '../../db/services/services.ts';
import { createVolume as newRow, type VolumeView, volumesOfProcess } from '../../db/services/volumes.ts';
import { Problem } from '../../domain/problems.ts';
import { mountFaults } from '../../domain/services/process-faults.ts';
import { emptyDefinition, type ServiceSettings, type VolumeSettings } from '../../domain/services/settings.ts';
import { addedVolumeFaults, volumeFaults } from '../../domain/services/volume-faults.ts';
import { mostVolumes, volumesOf } from '../../domain/services/volumes.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { processPath, theProcess } from '../processes/process.ts';
import { theService } from '../services/service.ts';
import { placesOf, stagedInEnvironment, stageIn } from '../services/service-place.ts';
import { sizeBytes, volumeAnswer, volumeSchema } from './volume.ts';

export const createVolume = operation({
  method: 'POST',
  url: '/api/v1/processes/{id}/volumes',
  summary: 'Create a volume of a process',
  description:
    'A directory that outlives the instances. It is mounted in an environment once the staged changes there are applied. The process has one instance at a time from then on, which ends before its successor starts.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'quota-reached', 'capability-missing'],
  path: processPath,
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
    const { serviceId } = await caller.see(theProcess, path.id, effect.kysely);
    const service = await caller.see(theService, serviceId, effect.kysely);
    await lockService(effect, service);
    const process = await caller.see(theProcess, path.id, effect.kysely);
    const own = volumeFaults(body);
    if (own.length > 0) throw invalidFields(own.map(at));
    if (body.storageClass !== '') {
      throw new Problem(
        'capability-missing',
        'No cluster of this version has storage classes: leave storageClass out.',
      );
    }
    const all = await placesOf(effect, caller, service, query.environmentId);
    const places = all.filter(({ settings }) => settings.processes[process.id] !== undefined);
    if (query.environmentId !== undefined && places.length === 0) {
      throw new Problem('not-found', `The process is not in the environment "${all[0]?.name}".`);
    }
    for (const { name, settings } of places) refuseUnfit(settings, process.id, body, ` in the environment "${name}"`);
    const there = query.environmentId === undefined ? undefined : await definedThere();
    const definition = await definedSettings(effect.kysely, service.organizationId, serviceId);
    if (there === undefined) {
      refuseUnfit(definition ?? { ...emptyDefinition, processes: {} }, process.id, body, '');
    }
    const volume = there ?? (await newRow(effect, process, body));
    const item = { kind: 'volume.create' as const, serviceId, processId: process.id, volumeId: volume.id };
    await stageIn(effect, server.keyring, places, [{ ...item, key: body.name, to: body }], caller);
    recordService(effect, 'service.updated', service, { volumes: { from: null, to: body.name } });
    return volumeAnswer(volume, body);

    /** The volume of this name that other environments have: it is the same one, with data of its own in each. */
    async function definedThere(): Promise<VolumeView | undefined> {
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
