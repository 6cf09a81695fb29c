import { revokeAgent as revoke } from '../../db/agents/cluster-agents.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';

export const revokeAgent = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/agent',
  summary: 'Revoke the credential of the agent of a cluster',
  description:
    'The agent is refused from its next request on, and the cluster waits for another one. Instances on the machine keep running until somebody stops them; the control plane forgets its last observations.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict'],
  path: clusterPath,
  async handle({ caller, path, effect }) {
    await revoke(effect, await caller.see(theCluster, path.id, effect.kysely));
  },
});
