import { defineEntity, p } from '@mikro-orm/core';
import { clusterEventKinds, clusterStates } from '../../domain/clusters/clusters.ts';
import { actorRow, withoutArchive } from '../engine/actor-row.ts';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/** Events of a cluster, as people read them. */
const ClusterEventSchema = defineEntity({
  name: 'cluster_event',
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
  uniques: [{ properties: ['clusterId', 'occasion'] }],
  indexes: [
    { properties: ['organizationId', 'at', 'id'] },
    { properties: ['clusterId', 'at', 'id'] },
    { properties: ['at'] },
  ],
});

/** A cluster: the row of the actor `cluster/<id>`. `desiredRevision` grows with each change of what shall run there. */
const ClusterSchema = defineEntity({
  name: 'cluster',
  properties: {
    ...actorRow,
    name: p.text(),
    slug: p.text(),
    region: p.text().default(''),
    /** The one on the machine of the installation itself. */
    local: p.boolean().default(false),
    schedulable: p.boolean().default(true),
    desiredRevision: p.integer().default(0),
    state: p.enum(clusterStates).default('awaiting-agent'),
    deletionRequestedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { properties: ['organizationId', 'slug'], where: 'finished_at is null' },
    { properties: ['local'], where: 'local and finished_at is null' },
  ],
  indexes: [
    { properties: ['organizationId', 'createdAt', 'id'] },
    { name: 'cluster_open_index', properties: ['createdAt'], where: 'finished_at is null' },
    withoutArchive('cluster'),
  ],
});

export const clusters = [ClusterSchema, ClusterEventSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [toRow('cluster_event', 'cluster_id', 'cluster')];
