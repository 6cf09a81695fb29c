import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { theService } from '../services/service.ts';
import { inEnvironment, placeOf } from '../services/service-place.ts';
import { processAnswer, processPath, processSchema, theProcess } from './process.ts';

export const getProcess = operation({
  method: 'GET',
  url: '/api/v1/processes/{id}',
  summary: 'Get a process',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: processPath,
  query: inEnvironment,
  result: processSchema,
  async handle({ caller, path, query, database: { kysely } }) {
    const process = await caller.see(theProcess, path.id);
    if (query.environmentId === undefined) return processAnswer(process);
    const service = await caller.see(theService, process.serviceId);
    const place = await placeOf(kysely, caller, service, query.environmentId);
    const settings = place.settings.processes[process.id];
    if (settings !== undefined) return processAnswer(process, settings);
    throw new Problem('not-found', `The process is not in the environment "${place.name}".`);
  },
});
