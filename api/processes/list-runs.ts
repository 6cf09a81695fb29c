import { z } from 'zod';
import { rolloutKey } from '../../db/deployments/rollout.ts';
import { findObservedSlice } from '../../db/workloads/observed-slices.ts';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from '../environments/environment.ts';
import { theService } from '../services/service.ts';
import { presentInstance } from '../workloads/present-workload.ts';
import { instanceSchema } from '../workloads/workload.ts';
import { processPath, theProcess } from './process.ts';

export const listProcessRuns = operation({
  method: 'GET',
  url: '/api/v1/processes/{id}/runs',
  summary: 'List the runs of a cron process in an environment, newest first',
  description: 'Those that the machine still keeps: what runs, and the last that ended. Each is an instance.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: processPath,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  result: z.object({ items: z.array(instanceSchema) }).meta({ id: 'ProcessRuns' }),
  async handle({ caller, path, query, database: { kysely } }) {
    const process = await caller.see(theProcess, path.id);
    const service = await caller.see(theService, process.serviceId);
    const environment = await caller.see(theEnvironment, query.environmentId);
    if (environment.projectId !== service.projectId) {
      throw new Problem('not-found', 'The environment is of another project.');
    }
    if (environment.clusterId === null) return { items: [] };
    const cluster = await caller.see(theCluster, environment.clusterId);
    const observed = await findObservedSlice(kysely, cluster, rolloutKey(environment.id, service.id));
    const runs = (observed?.instances ?? [])
      .flatMap((instance) => presentInstance(cluster, instance, service.slug))
      .filter((instance) => instance.process === process.name);
    return { items: runs.toSorted((one, other) => startOf(other).localeCompare(startOf(one))) };
  },
});

/** One that has not started is the newest. */
function startOf({ startedAt = '9' }: { startedAt?: string | undefined }): string {
  return startedAt;
}
