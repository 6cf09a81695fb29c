import { z } from 'zod';
import { processesOf } from '../../db/services/processes.ts';
import { operation } from '../engine/operation.ts';
import { servicePath, theService } from '../services/service.ts';
import { inEnvironment, placeOf } from '../services/service-place.ts';
import { processAnswer, processSchema } from './process.ts';

export const listProcesses = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/processes',
  summary: 'List the processes of a service, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: servicePath,
  query: inEnvironment,
  result: z.object({ items: z.array(processSchema) }).meta({ id: 'Processes' }),
  async handle({ caller, path, query, database: { kysely } }) {
    const service = await caller.see(theService, path.id);
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
