import { listClusterEvents as eventsOf } from '../../db/clusters/cluster-events.ts';
import { operation } from '../engine/operation.ts';
import { clusterEventSchema, eventPosition, oneMore, pageOf } from './cluster-event.ts';

export const listOrganizationClusterEvents = operation({
  method: 'GET',
  url: '/api/v1/cluster-events',
  summary: 'List the events of all clusters, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: [],
  paged: { after: eventPosition },
  result: clusterEventSchema,
  async handle({ caller, database, page }) {
    return pageOf(await eventsOf(database.kysely, caller.organization.id, oneMore(page)), page);
  },
});
