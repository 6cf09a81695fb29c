import { z } from 'zod';
import { type ClusterEventView, listClusterEvents as eventsOf } from '../../db/clusters/cluster-events.ts';
import { clusterEventKinds } from '../../domain/clusters/clusters.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation, type Page, type PageAnswer } from '../engine/operation.ts';

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

const eventPosition = z.strictObject({ at: z.iso.datetime(), id: z.guid() });
type Position = z.output<typeof eventPosition>;

function oneMore({ limit, after }: Page<Position>) {
  return { limit: limit + 1, after: after && { at: new Date(after.at), id: after.id } };
}

function pageOf(
  events: readonly ClusterEventView[],
  { limit }: Page<Position>,
): PageAnswer<z.output<typeof clusterEventSchema>, Position> {
  const shown = events.slice(0, limit);
  const last = events.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(answer), after: last && { at: last.at.toISOString(), id: last.id } };
}

function answer({ at, environmentId, serviceId, releaseId, ...event }: ClusterEventView) {
  return {
    ...event,
    environmentId: environmentId ?? '',
    serviceId: serviceId ?? '',
    releaseId: releaseId ?? '',
    at: at.toISOString(),
  };
}

const listClusterEvents = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/events',
  summary: 'List the events of a cluster, newest first',
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

const listOrganizationClusterEvents = operation({
  method: 'GET',
  url: '/api/v1/cluster-events',
  summary: 'List the events of all clusters, newest first',
  role: 'viewer',
  projectTokens: 'refused',
  paged: { after: eventPosition },
  result: clusterEventSchema,
  async handle({ caller, database, page }) {
    return pageOf(await eventsOf(database.kysely, caller.organization.id, oneMore(page)), page);
  },
});

export const clusterEvents = { events: listClusterEvents, organizationEvents: listOrganizationClusterEvents };
