import { defineEntity, p } from '@mikro-orm/core';
import { clusterEventKinds } from '../../domain/clusters/clusters.ts';
import type { JsonObject } from '../postgres/json.ts';

/** Events of a cluster, as people read them. */
export const ClusterEventSchema = defineEntity({
  name: 'ClusterEvent',
  tableName: 'cluster_event',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    clusterId: p.uuid(),
    kind: p.enum(clusterEventKinds),
    environmentId: p.uuid().nullable(),
    serviceId: p.uuid().nullable(),
    releaseId: p.uuid().nullable(),
    payload: p.json<JsonObject>().nullable(),
    at: p.datetime(3).defaultRaw('clock_timestamp()'),
    /** Deduplicates: an event reported twice for one occasion is stored once. */
    occasion: p.text(),
  },
  uniques: [{ name: 'cluster_event_cluster_id_occasion_unique', properties: ['clusterId', 'occasion'] }],
  indexes: [
    { name: 'cluster_event_organization_id_at_id_index', properties: ['organizationId', 'at', 'id'] },
    { name: 'cluster_event_cluster_id_at_id_index', properties: ['clusterId', 'at', 'id'] },
    { name: 'cluster_event_at_index', properties: ['at'] },
  ],
});

export class ClusterEvent extends ClusterEventSchema.class {}
ClusterEventSchema.setClass(ClusterEvent);
