import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import {
  changeProcess as change,
  createProcess as newRow,
  type ProcessView,
  processesOf,
  deleteProcess as remove,
} from '../../db/services/processes.ts';
import { deleteUnmounted } from '../../db/services/removal/left-volumes.ts';
import { lockService, recordService } from '../../db/services/services.ts';
import { definedVolumes } from '../../db/services/volumes.ts';
import { Problem } from '../../domain/problems.ts';
import { changedProcess, newProcess } from '../../domain/services/process-faults.ts';
import type { ProcessSettings } from '../../domain/services/settings.ts';
import { withVolumes } from '../../domain/services/volumes.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { invalidFields } from '../engine/input/input.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import {
  inEnvironment,
  lockedWithService,
  partIn,
  placeOf,
  placesOf,
  placesWith,
  stagedInEnvironment,
  stageIn,
} from '../services/service-place.ts';
import { processAnswer, processName, processSchema, processSettings, settingsFaults, theProcess } from './process.ts';
import { listProcessRuns, restartProcess, runProcess } from './runs.ts';

const changeProcess = operation({
  method: 'PATCH',
  url: '/api/v1/processes/{id}',
  summary: 'Update the settings of a process',
  description:
    'The change is staged, and takes effect when the environment applies its staged changes. Null removes a setting that a process need not have.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'changed-meanwhile'],
  query: stagedInEnvironment,
  body: withWas(processSettings),
  result: processSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const { service, part: process } = await lockedWithService(effect, caller, theProcess, path.id);
    const { id, organizationId, serviceId, definition, name } = process;
    const { environmentId } = query;
    const places = await placesWith(effect, caller, service, environmentId, 'process', (processes) => processes[id]);
    const [only] = environmentId === undefined ? [] : places;
    const { was, ...wanted } = body;
    const volumes = await definedVolumes(effect.kysely, service);
    const is = only?.part ?? withVolumes({ ...definition, name }, volumes.get(id) ?? {});
    const subject = { organizationId, kind: 'service', id: service.id };
    await refuseChangedMeanwhile<Record<string, unknown>>(effect.kysely, subject, { is: nulled(is), was, wanted });
    const faults = places.flatMap((place) => {
      const where = only === undefined ? ` (in the environment "${place.name}")` : '';
      return settingsFaults(changedProcess(place.part, wanted), 'body', where);
    });
    if (only === undefined) faults.unshift(...settingsFaults(changedProcess(is, wanted), 'body'));
    if (faults.length > 0) throw invalidFields(faults);
    const items = Object.entries(wanted).flatMap(([key, to]) =>
      to === undefined ? [] : [{ kind: 'process.set' as const, serviceId, processId: process.id, key, to }],
    );
    await stageIn(effect, server.keyring, places, items, caller);
    if (only !== undefined) return processAnswer(process, changedProcess(only.part, wanted));
    return processAnswer(await defined(process, changedProcess(definition, wanted)));

    async function defined(before: ProcessView, definition: ProcessSettings): Promise<ProcessView> {
      const details = changedFields(before.definition, definition);
      if (Object.keys(details).length === 0) return before;
      await change(effect, before, definition);
      recordService(effect, 'service.updated', service, { process: before.name, ...details });
      return { ...before, definition };
    }
  },
});

/** Settings with null where a process has none, as `was` says it. */
function nulled(settings: ProcessSettings): Record<string, unknown> {
  const none = { port: null, runAsUser: null, cpuLimitMilli: null, cpuRequestMilli: null };
  return { ...none, memoryLimitBytes: null, memoryRequestBytes: null, metricsPort: null, ...settings };
}

const createProcess = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/processes',
  summary: 'Create a process of a service',
  description: 'It runs in an environment once the staged changes there are applied.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theService,
  query: stagedInEnvironment,
  body: processSettings.extend({ name: processName }),
  status: 201,
  result: processSchema,
  async handle({ found: service, caller, query, body, effect, server }) {
    const { organizationId, id: serviceId } = service;
    await refuseBeyond(effect, {
      setting: 'PROCESSES_PER_SERVICE',
      most: server.settings.PROCESSES_PER_SERVICE,
      owner: serviceId,
      things: 'processes of this service',
      rows: sql`service_process where organization_id = ${organizationId} and service_id = ${serviceId}`,
    });
    const { name, ...given } = body;
    const definition = newProcess(given);
    const faults = settingsFaults(definition, 'body');
    if (faults.length > 0) throw invalidFields(faults);
    const places = await placesOf(effect, caller, service, query.environmentId);
    const process = await newRow(effect, service, { name, definition });
    const item = { kind: 'process.create' as const, serviceId, processId: process.id, key: '' };
    await stageIn(effect, server.keyring, places, [{ ...item, to: { ...definition, name } }], caller);
    recordService(effect, 'service.updated', service, { processes: { from: null, to: name } });
    return processAnswer(process);
  },
});

const deleteProcess = operation({
  method: 'DELETE',
  url: '/api/v1/processes/{id}',
  summary: 'Delete a process of a service',
  description:
    'It stops in an environment once the staged changes there are applied. The only process of a service stays. The data of its volumes are listed by `GET /api/v1/deleted` then, and can be restored until the retention has passed.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theProcess,
  query: stagedInEnvironment,
  async handle({ found: process, caller, query, effect, server }) {
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

const getProcess = operation({
  method: 'GET',
  url: '/api/v1/processes/{id}',
  summary: 'Get a process',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theProcess,
  query: inEnvironment,
  result: processSchema,
  async handle({ found: process, caller, query, database: { kysely } }) {
    if (query.environmentId === undefined) return processAnswer(process);
    const service = await caller.see(theService, process.serviceId);
    const { part } = await partIn(kysely, caller, service, query.environmentId, 'process', (all) => all[process.id]);
    return processAnswer(process, part);
  },
});

const listProcesses = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/processes',
  summary: 'List the processes of a service, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  query: inEnvironment,
  result: z.object({ items: z.array(processSchema) }).meta({ id: 'Processes' }),
  async handle({ found: service, caller, query, database: { kysely } }) {
    const processes = await processesOf(kysely, service);
    if (query.environmentId === undefined) return { items: processes.map((process) => processAnswer(process)) };
    const { settings } = await placeOf(kysely, caller, service, query.environmentId);
    return {
      items: processes.flatMap((process) => {
        const there = settings.processes[process.id];
        return there === undefined ? [] : [processAnswer(process, there)];
      }),
    };
  },
});

export const processes = {
  list: listProcesses,
  create: createProcess,
  get: getProcess,
  change: changeProcess,
  delete: deleteProcess,
  restart: restartProcess,
  run: runProcess,
  runs: listProcessRuns,
};
