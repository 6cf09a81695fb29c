import { listClusterEvents as eventsOf } from '../../db/clusters/cluster-events.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { clusterEventSchema, eventPosition, oneMore, pageOf } from './cluster-event.ts';

export const listClusterEvents = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/events',
  summary: 'List the events of a cluster, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: clusterPath,
  paged: { after: eventPosition },
  result: clusterEventSchema,
  async handle({ caller, path, database, page }) {
    const { id } = await caller.see(theCluster, path.id);
    const events = await eventsOf(database.kysely, caller.organization.id, { clusterId: id, ...oneMore(page) });
    return pageOf(events, page);
  },
});
