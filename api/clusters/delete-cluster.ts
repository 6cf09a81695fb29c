import { requestClusterDeletion } from '../../db/clusters/cluster-deletion.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { clusterPath, theCluster } from './cluster.ts';

export const deleteCluster = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}',
  summary: 'Delete an empty cluster',
  description:
    'The agent is refused from then on. While the cluster has workloads, running instances, or data of what was deleted that its agent could delete, the answer is 409 and names them.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'deletions',
  problems: ['not-found', 'conflict', 'cluster-in-use', 'already-decided'],
  path: clusterPath,
  async handle({ caller, path, effect, server }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    if (cluster.local && server.settings.LOCAL_CLUSTER) {
      throw new Problem(
        'conflict',
        `The cluster "${cluster.name}" belongs to this installation, which would create it again: start it with LOCAL_CLUSTER=false first.`,
      );
    }
    await requestClusterDeletion(effect, cluster);
  },
});
