import { sql } from 'kysely';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createProcess as newRow } from '../../db/services/processes.ts';
import { recordService } from '../../db/services/services.ts';
import { newProcess } from '../../domain/services/process-faults.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { servicePath, theService } from '../services/service.ts';
import { placesOf, stagedInEnvironment, stageIn } from '../services/service-place.ts';
import { processAnswer, processSchema } from './process.ts';
import { processName, processSettings, settingsFaults } from './process-fields.ts';

export const createProcess = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/processes',
  summary: 'Create a process of a service',
  description: 'It runs in an environment once the staged changes there are applied.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: servicePath,
  query: stagedInEnvironment,
  body: processSettings.extend({ name: processName }),
  status: 201,
  result: processSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const service = await caller.see(theService, path.id, effect.kysely);
    const { organizationId, id: serviceId } = service;
    await refuseBeyond(effect, {
      setting: 'PROCESSES_PER_SERVICE',
      most: server.settings.PROCESSES_PER_SERVICE,
      owner: serviceId,
      things: 'processes of this service',
      rows: sql`service_process where organization_id = ${organizationId} and service_id = ${serviceId}`,
      remedy: 'delete one that is not needed',
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
