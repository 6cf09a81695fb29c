import { z } from 'zod';
import { currentRelease } from '../../db/agent-updates/agent-releases.ts';
import { listClusters as clustersOf } from '../../db/clusters/clusters.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { clusterSchema } from './cluster.ts';
import { presentClusters, summaryOf } from './present-cluster.ts';

export const listClusters = operation({
  method: 'GET',
  url: '/api/v1/clusters',
  summary: 'List clusters, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({
    q: soughtText('its name or region'),
    summary: z.boolean().optional().describe('Whether each tells its `summary`.'),
  }),
  paged: { after: createdPosition },
  result: clusterSchema,
  async handle({ caller, query, database, server, page }) {
    const clusters = await clustersOf(database.kysely, caller.organization.id, { ...oneMore(page), q: query.q });
    const present = await presentClusters(server, caller.organization.id, clusters);
    if (query.summary !== true) return pageOf(clusters, page, ({ id }) => id, present);
    const available = (await currentRelease(database.kysely))?.image;
    return pageOf(
      clusters,
      page,
      ({ id }) => id,
      (cluster) => ({
        ...present(cluster),
        summary: summaryOf(cluster, available),
      }),
    );
  },
});
