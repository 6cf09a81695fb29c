import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { workloadPath } from './apply-workload.ts';
import { takeWorkload } from './put-workloads.ts';

export const removeWorkload = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/workloads/{name}',
  summary: 'Remove a workload',
  description: 'Instances are asked to stop and get their grace period. Volumes stay on the machine.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'already-decided'],
  path: workloadPath,
  async handle({ caller, path, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    if (await takeWorkload(effect, cluster, path.name)) return;
    throw new Problem('not-found', `There is no workload "${path.name}" on the cluster "${cluster.name}".`);
  },
});
