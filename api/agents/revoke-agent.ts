import { revokeAgent as revoke } from '../../db/agents/cluster-agents.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';

export const revokeAgent = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/agent',
  summary: 'Revoke the credential of the agent of a cluster',
  description:
    'It is refused from its next request on, and the cluster awaits an agent. What runs on the machine goes on there until somebody stops it; the control plane forgets what it saw of it.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict'],
  path: clusterPath,
  async handle({ caller, path, effect }) {
    await revoke(effect, await caller.see(theCluster, path.id, effect.kysely));
  },
});
