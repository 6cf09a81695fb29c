import { changeProcess as change, type ProcessView } from '../../db/services/processes.ts';
import { lockService, recordService } from '../../db/services/services.ts';
import { definedVolumes } from '../../db/services/volumes.ts';
import { Problem } from '../../domain/problems.ts';
import { changedProcess } from '../../domain/services/process-faults.ts';
import type { ProcessSettings } from '../../domain/services/settings.ts';
import { withVolumes } from '../../domain/services/volumes.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { invalidFields } from '../engine/input/input.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import { placesOf, stagedInEnvironment, stageIn } from '../services/service-place.ts';
import { processAnswer, processPath, processSchema, theProcess } from './process.ts';
import { processSettings, settingsFaults } from './process-fields.ts';

export const changeProcess = operation({
  method: 'PATCH',
  url: '/api/v1/processes/{id}',
  summary: 'Update the settings of a process',
  description:
    'The change is staged, and takes effect when the environment applies its staged changes. Null removes a setting that a process need not have.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'changed-meanwhile'],
  path: processPath,
  query: stagedInEnvironment,
  body: withWas(processSettings),
  result: processSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const { serviceId } = await caller.see(theProcess, path.id, effect.kysely);
    const service = await caller.see(theService, serviceId, effect.kysely);
    await lockService(effect, service);
    const process = await caller.see(theProcess, path.id, effect.kysely);
    const all = await placesOf(effect, caller, service, query.environmentId);
    const places = all.flatMap((place) => {
      const settings = place.settings.processes[process.id];
      return settings === undefined ? [] : [{ ...place, process: settings }];
    });
    const [only] = query.environmentId === undefined ? [] : places;
    if (only === undefined && query.environmentId !== undefined) {
      throw new Problem('not-found', `The process is not in the environment "${all[0]?.name}".`);
    }
    const { was, ...wanted } = body;
    const { id, organizationId, definition, name } = process;
    const volumes = await definedVolumes(effect.kysely, service);
    const is = only?.process ?? withVolumes({ ...definition, name }, volumes.get(id) ?? {});
    const subject = { organizationId, kind: 'service', id: service.id };
    await refuseChangedMeanwhile<Record<string, unknown>>(effect.kysely, subject, { is: nulled(is), was, wanted });
    const faults = places.flatMap((place) => {
      const where = only === undefined ? ` (in the environment "${place.name}")` : '';
      return settingsFaults(changedProcess(place.process, wanted), 'body', where);
    });
    if (only === undefined) faults.unshift(...settingsFaults(changedProcess(is, wanted), 'body'));
    if (faults.length > 0) throw invalidFields(faults);
    const items = Object.entries(wanted).flatMap(([key, to]) =>
      to === undefined ? [] : [{ kind: 'process.set' as const, serviceId, processId: process.id, key, to }],
    );
    await stageIn(effect, server.keyring, places, items, caller);
    if (only !== undefined) return processAnswer(process, changedProcess(only.process, wanted));
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
