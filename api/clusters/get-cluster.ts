import { operation } from '../engine/operation.ts';
import { clusterPath, clusterSchema, theCluster } from './cluster.ts';
import { presentClusters } from './present-cluster.ts';

export const getCluster = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}',
  summary: 'Get a cluster',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: clusterPath,
  result: clusterSchema,
  async handle({ caller, path, server }) {
    const cluster = await caller.see(theCluster, path.id);
    return (await presentClusters(server, caller.organization.id, [cluster]))(cluster);
  },
});
