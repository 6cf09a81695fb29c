import { z } from 'zod';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { putWorkload, refuseFaults } from './put-workloads.ts';
import { workloadBody, workloadName, workloadSchema } from './workload.ts';
import { workloadFaults } from './workload-faults.ts';

export const workloadPath = z.strictObject({ id: z.guid().toLowerCase(), name: workloadName });

export const applyWorkload = operation({
  method: 'PUT',
  url: '/api/v1/clusters/{id}/workloads/{name}',
  summary: 'Create or update a workload',
  description:
    'For trying out a cluster; services deploy in their own way. An identical workload is left unchanged, unless it failed or its layout may have changed. Send the whole workload each time, secrets included.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'already-decided'],
  path: workloadPath,
  body: workloadBody,
  result: workloadSchema,
  async handle({ caller, path, body, effect, server }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    refuseFaults(workloadFaults(body, 'body'));
    return (await putWorkload(effect, server, cluster, path.name, body)).item;
  },
});
