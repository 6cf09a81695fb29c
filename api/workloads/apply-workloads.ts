import { z } from 'zod';
import { clusterPath } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { putWorkload, refuseFaults, takeWorkload, workloadNames } from './put-workloads.ts';
import { namedWorkloadBody, workloadSchema } from './workload.ts';
import { doubles, workloadFaults } from './workload-faults.ts';

export const applyWorkloads = operation({
  method: 'PUT',
  url: '/api/v1/clusters/{id}/workloads',
  summary: 'Put several workloads on a cluster, all or none',
  description: 'With `prune`, workloads that are not named are taken away.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'already-decided'],
  path: clusterPath,
  body: z.strictObject({ workloads: z.array(namedWorkloadBody).max(200), prune: z.boolean().default(false) }),
  result: z
    .object({
      items: z.array(workloadSchema).describe('In the order in which they were sent.'),
      removed: z.array(z.string()).describe('The names of those that are taken away.'),
    })
    .meta({ id: 'WorkloadsApplied' }),
  async handle({ caller, path, body, effect, server }) {
    const cluster = await caller.cluster(path.id, effect.kysely);
    const at = 'body.workloads';
    refuseFaults([
      ...doubles(body.workloads, at, 'workload'),
      ...body.workloads.flatMap((workload, index) => workloadFaults(workload, `${at}[${index}]`)),
    ]);
    const items = [];
    for (const { name, ...workload } of body.workloads) {
      items.push(await putWorkload(effect, server, cluster, name, workload));
    }
    const removed: string[] = [];
    if (body.prune) {
      const kept = new Set(body.workloads.map(({ name }) => name));
      for (const name of await workloadNames(effect, cluster)) {
        if (!kept.has(name) && (await takeWorkload(effect, cluster, name))) removed.push(name);
      }
    }
    return { items, removed };
  },
});
