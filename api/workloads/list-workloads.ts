import { z } from 'zod';
import { listSlices } from '../../db/workloads/cluster-slices.ts';
import { listObservedSlices } from '../../db/workloads/observed-slices.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { presentWorkload } from './present-workload.ts';
import { workloadSchema } from './workload.ts';

export const listWorkloads = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/workloads',
  summary: 'List the workloads of a cluster, desired and observed, by name',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: clusterPath,
  query: z.strictObject({ q: soughtText('its name') }),
  paged: { after: z.strictObject({ key: z.string() }) },
  result: workloadSchema,
  async handle({ caller, path, query, database, page }) {
    const cluster = await caller.see(theCluster, path.id);
    const { limit, after } = page;
    const found = await listSlices(database.kysely, cluster, { limit: limit + 1, after: after?.key, q: query.q });
    const slices = found.slice(0, limit);
    const keys = slices.map(({ key }) => key);
    const observed = new Map(
      (await listObservedSlices(database.kysely, cluster, keys)).map((slice) => [slice.key, slice]),
    );
    const last = found.length > limit ? slices.at(-1) : undefined;
    return {
      items: slices.map((slice) => presentWorkload(cluster, slice, observed.get(slice.key))),
      after: last && { key: last.key },
    };
  },
});
