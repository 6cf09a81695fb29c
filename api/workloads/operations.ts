import { z } from 'zod';
import { listSlices, type SliceView } from '../../db/workloads/cluster-slices.ts';
import { listInstances as instancesOf, releaseNumbers } from '../../db/workloads/instances.ts';
import { listObservedSlices } from '../../db/workloads/observed-slices.ts';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { pageBy } from '../engine/positions.ts';
import { compareWorkload, putWorkload, refuseFaults, takeWorkload, workloadNames } from './put-workloads.ts';
import {
  instanceSchema,
  namedWorkloadBody,
  presentInstance,
  presentWorkload,
  workloadBody,
  workloadName,
  workloadSchema,
} from './workload.ts';
import { doubles, workloadFaults } from './workload-faults.ts';

const workloadPath = z.strictObject({ id: z.guid().toLowerCase(), name: workloadName });

const applyWorkload = operation({
  method: 'PUT',
  url: '/api/v1/clusters/{id}/workloads/{name}',
  summary: 'Create or update a workload',
  description:
    'For trying out a cluster; services deploy in their own way. An identical workload is left unchanged, unless it failed or its layout may have changed. Send the whole workload each time, secrets included.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'already-decided'],
  of: theCluster,
  path: workloadPath,
  body: workloadBody,
  result: workloadSchema,
  async handle({ found: cluster, path, body, effect, server }) {
    refuseFaults(workloadFaults(body, 'body'));
    return (await putWorkload(effect, server, cluster, path.name, body)).item;
  },
});

const changeSchema = z.object({
  name: z.string(),
  change: z
    .enum(['created', 'changed', 'unchanged', 'again', 'removed'])
    .describe('again: the same as before, but it failed or its layout may have changed, so it is applied again.'),
});

const applyWorkloads = operation({
  method: 'PUT',
  url: '/api/v1/clusters/{id}/workloads',
  summary: 'Apply several workloads, all or none',
  description:
    'With `prune`, workloads that are not named are removed. With `dryRun`, everything is checked and nothing is changed: `changes` says what would be.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'already-decided'],
  of: theCluster,
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
  async handle({ found: cluster, body, effect, server }) {
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

export const listInstances = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances',
  summary: 'List the instances on a cluster, by workload',
  role: 'viewer',
  projectTokens: 'refused',
  of: theCluster,
  paged: { after: z.strictObject({ key: z.string(), id: z.string() }) },
  result: instanceSchema,
  async handle({ found: cluster, database, page }) {
    const found = await instancesOf(database.kysely, cluster, { limit: page.limit + 1, after: page.after });
    const shown = pageBy(found, page, ({ key, instance }) => ({ key, id: String(instance.id) }));
    const numbers = await releaseNumbers(database.kysely, cluster, shown.items);
    const items = shown.items.flatMap(({ key, name, instance }, index) =>
      presentInstance(cluster, instance, name ?? key, numbers[index]),
    );
    return { ...shown, items };
  },
});

export const listWorkloads = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/workloads',
  summary: 'List the workloads of a cluster, desired and observed, by name',
  role: 'viewer',
  projectTokens: 'refused',
  of: theCluster,
  query: z.strictObject({ q: soughtText('its name') }),
  paged: { after: z.strictObject({ key: z.string() }) },
  result: workloadSchema,
  async handle({ found: cluster, query, database, page }) {
    const asked = { limit: page.limit + 1, after: page.after?.key, q: query.q };
    const found = await listSlices(database.kysely, cluster, asked);
    const keys = found.map(({ key }) => key);
    const observed = new Map(
      (await listObservedSlices(database.kysely, cluster, keys)).map((slice) => [slice.key, slice]),
    );
    const answer = (slice: SliceView) => presentWorkload(cluster, slice, observed.get(slice.key));
    return pageBy(found, page, ({ key }) => ({ key }), answer);
  },
});

const removeWorkload = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/workloads/{name}',
  summary: 'Remove a workload',
  description: 'Instances are asked to stop and get their grace period. Volumes stay on the machine.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['already-decided'],
  of: theCluster,
  path: workloadPath,
  async handle({ found: cluster, path, effect }) {
    if (await takeWorkload(effect, cluster, path.name)) return;
    throw new Problem('not-found', `There is no workload "${path.name}" on the cluster "${cluster.name}".`);
  },
});

export const workloads = {
  list: listWorkloads,
  put: applyWorkload,
  putAll: applyWorkloads,
  remove: removeWorkload,
  instances: listInstances,
};
