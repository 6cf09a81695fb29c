import { cancelAgentUpdate as cancel } from '../../db/agent-updates/agent-updates.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { agentUpdateSchema, presentUpdate } from './agent-status.ts';

export const cancelAgentUpdate = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/agent/update',
  summary: 'Cancel a running update of the agent',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'already-decided'],
  path: clusterPath,
  result: agentUpdateSchema,
  async handle({ caller, path, effect }) {
    return presentUpdate(await cancel(effect, await caller.see(theCluster, path.id, effect.kysely)));
  },
});
