import { z } from 'zod';
import { type ClusterEventView, listClusterEvents as eventsOf } from '../../db/clusters/cluster-events.ts';
import { clusterEventKinds } from '../../domain/clusters/clusters.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { eventPosition, oneMoreEvent, pageOfEvents } from '../engine/positions.ts';

export const clusterEventSchema = z
  .object({
    id: z.guid(),
    clusterId: z.guid(),
    kind: z.enum(clusterEventKinds),
    environmentId: z.string().describe('Empty: it concerns no environment.'),
    serviceId: z.string(),
    releaseId: z.string(),
    at: z.iso.datetime(),
    payload: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'ClusterEvent' });

function answer(event: ClusterEventView) {
  const { environmentId, serviceId, releaseId } = event;
  return {
    ...event,
    environmentId: environmentId ?? '',
    serviceId: serviceId ?? '',
    releaseId: releaseId ?? '',
  };
}

const listClusterEvents = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/events',
  summary: 'List the events of a cluster, newest first',
  role: 'viewer',
  projectTokens: 'refused',
  of: theCluster,
  paged: { after: eventPosition },
  result: clusterEventSchema,
  async handle({ found: { id }, caller, database, page }) {
    const events = await eventsOf(database.kysely, caller.organization.id, { clusterId: id, ...oneMoreEvent(page) });
    return pageOfEvents(events, page, answer);
  },
});

const listOrganizationClusterEvents = operation({
  method: 'GET',
  url: '/api/v1/cluster-events',
  summary: 'List the events of all clusters, newest first',
  role: 'viewer',
  projectTokens: 'refused',
  paged: { after: eventPosition },
  result: clusterEventSchema,
  async handle({ caller, database, page }) {
    const events = await eventsOf(database.kysely, caller.organization.id, oneMoreEvent(page));
    return pageOfEvents(events, page, answer);
  },
});

export const clusterEvents = { events: listClusterEvents, organizationEvents: listOrganizationClusterEvents };
