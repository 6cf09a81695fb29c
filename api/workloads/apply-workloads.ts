import { z } from 'zod';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { compareWorkload, putWorkload, refuseFaults, takeWorkload, workloadNames } from './put-workloads.ts';
import { namedWorkloadBody, workloadSchema } from './workload.ts';
import { doubles, workloadFaults } from './workload-faults.ts';

const changeSchema = z.object({
  name: z.string(),
  change: z
    .enum(['created', 'changed', 'unchanged', 'again', 'removed'])
    .describe('again: the same as before, but it failed or its layout may have changed, so it is applied again.'),
});

export const applyWorkloads = operation({
  method: 'PUT',
  url: '/api/v1/clusters/{id}/workloads',
  summary: 'Apply several workloads, all or none',
  description:
    'With `prune`, workloads that are not named are removed. With `dryRun`, everything is checked and nothing is changed: `changes` says what would be.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'already-decided'],
  path: clusterPath,
  body: z.strictObject({
    workloads: z.array(namedWorkloadBody).max(200),
    prune: z.boolean().default(false),
    dryRun: z.boolean().default(false),
  }),
  result: z
    .object({
      items: z.array(workloadSchema).describe('In the order in which they were sent; none with `dryRun`.'),
      changes: z
        .array(changeSchema)
        .describe('The change, made or planned, of each workload that is named or removed.'),
      removed: z.array(z.string()).describe('The names of the removed workloads.'),
    })
    .meta({ id: 'WorkloadsApplied' }),
  async handle({ caller, path, body, effect, server }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const at = 'body.workloads';
    refuseFaults([
      ...doubles(body.workloads, at, 'workload'),
      ...body.workloads.flatMap((workload, index) => workloadFaults(workload, `${at}[${index}]`)),
    ]);
    const items = [];
    const changes: z.output<typeof changeSchema>[] = [];
    for (const { name, ...workload } of body.workloads) {
      if (body.dryRun) {
        changes.push({ name, change: await compareWorkload(effect, server, cluster, name, workload) });
        continue;
      }
      const { change, item } = await putWorkload(effect, server, cluster, name, workload);
      changes.push({ name, change });
      items.push(item);
    }
    const removed: string[] = [];
    if (body.prune) {
      const kept = new Set(body.workloads.map(({ name }) => name));
      for (const name of await workloadNames(effect, cluster)) {
        if (!kept.has(name) && (body.dryRun || (await takeWorkload(effect, cluster, name)))) removed.push(name);
      }
    }
    changes.push(...removed.map((name) => ({ name, change: 'removed' as const })));
    return { items, changes, removed };
  },
});
