import { z } from 'zod';
import type { ClusterEventView } from '../../db/clusters/cluster-events.ts';
import { clusterEventKinds } from '../../domain/clusters/clusters.ts';
import type { Page, PageAnswer } from '../engine/operation.ts';

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

export const eventPosition = z.strictObject({ at: z.iso.datetime(), id: z.guid() });
type Position = z.output<typeof eventPosition>;

export function oneMore({ limit, after }: Page<Position>) {
  return { limit: limit + 1, after: after && { at: new Date(after.at), id: after.id } };
}

export function pageOf(
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
