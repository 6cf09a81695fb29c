import { z } from 'zod';
import { listInstances as instancesOf, releaseNumbers } from '../../db/workloads/cluster-instances.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { presentInstance } from './present-workload.ts';
import { instanceSchema } from './workload.ts';

export const listInstances = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances',
  summary: 'List the instances on a cluster, by workload',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: clusterPath,
  paged: { after: z.strictObject({ key: z.string(), id: z.string() }) },
  result: instanceSchema,
  async handle({ caller, path, database, page }) {
    const cluster = await caller.see(theCluster, path.id);
    const { limit, after } = page;
    const found = await instancesOf(database.kysely, cluster, { limit: limit + 1, after });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    const numbers = await releaseNumbers(database.kysely, cluster, shown);
    return {
      items: shown.flatMap(({ key, name, instance }, index) =>
        presentInstance(cluster, instance, name ?? key, numbers[index]),
      ),
      after: last && { key: last.key, id: String(last.instance.id) },
    };
  },
});
