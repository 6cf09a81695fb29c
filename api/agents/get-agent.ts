import { currentRelease } from '../../db/agent-updates/agent-releases.ts';
import { agentStatus } from '../../db/agent-updates/agent-updates.ts';
import { asOf } from '../clusters/as-of.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { agentStatusSchema, presentUpdate } from './agent-status.ts';

export const getAgent = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/agent',
  summary: 'Get the agent of a cluster and its updates',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: clusterPath,
  result: agentStatusSchema,
  async handle({ caller, path, database }) {
    const cluster = await caller.see(theCluster, path.id);
    const { image, version } = cluster.agent;
    const available = (await currentRelease(database.kysely))?.image ?? '';
    const { open, attempts } = await agentStatus(database.kysely, cluster);
    return {
      currentImage: image ?? '',
      currentVersion: version ?? '',
      availableImage: available,
      updateAvailable: image !== null && available !== '' && image !== available,
      ...asOf(cluster),
      history: attempts.map(presentUpdate),
      ...(open === undefined
        ? {}
        : { inProgress: { id: open.id, startedAt: open.createdAt.toISOString(), toImage: open.toImage } }),
    };
  },
});
