import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';

/** Desired state of one workload: one service in one environment on one cluster. */
const ClusterSliceSchema = defineEntity({
  name: 'cluster_slice',
  properties: {
    clusterId: p.uuid().primary(),
    key: p.text().primary(),
    organizationId: p.uuid(),
    /** As people call it. */
    name: p.text(),
    /** The cluster's revision at which it last changed. */
    revision: p.integer(),
    /** `protocol/workload.ts`, without what is secret. */
    workload: p.json<JsonObject>(),
    /** Variables and the registry's credential, encrypted with the organization's key. */
    sealedSecrets: p.blob().$type<Buffer>().nullable(),
    /** Of the two, as they are sent. */
    bytes: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    /** Set on removal: the row is deleted once the agent reports nothing of the workload any more. */
    removedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['clusterId', 'revision'] }, { properties: ['organizationId'] }],
});

/** A host name that leads to a process of a slice: nobody else can have it. */
const IngressHostSchema = defineEntity({
  name: 'ingress_host',
  properties: {
    host: p.text().primary(),
    organizationId: p.uuid(),
    clusterId: p.uuid(),
    key: p.text(),
    process: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ properties: ['clusterId', 'key', 'process'] }],
  indexes: [{ properties: ['organizationId'] }],
});

/** A slice as the agent last saw it. */
const ObservedSliceSchema = defineEntity({
  name: 'observed_slice',
  properties: {
    clusterId: p.uuid().primary(),
    key: p.text().primary(),
    organizationId: p.uuid(),
    appliedRevision: p.integer(),
    /** The desired revision that the agent had when it looked; null for agents that do not report one. */
    revision: p.integer().nullable(),
    error: p.text().nullable(),
    instances: p.json<JsonValue[]>(),
    volumes: p.json<JsonValue[]>(),
    traffic: p.json<JsonValue[]>(),
    /** How far its rollout is, as the agent tells; null for workloads without one. */
    rollout: p.json<JsonObject>().nullable(),
    observedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['organizationId'] }],
});

/** A port of the loopback at which other services of the environment reach a process, whatever release of it runs. */
const InternalPortSchema = defineEntity({
  name: 'internal_port',
  properties: {
    clusterId: p.uuid().primary(),
    port: p.integer().primary(),
    organizationId: p.uuid(),
    /** The key of the workload. */
    key: p.text(),
    process: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ properties: ['clusterId', 'key', 'process'] }],
  indexes: [{ properties: ['organizationId'] }],
});

export const workloads = [ClusterSliceSchema, IngressHostSchema, ObservedSliceSchema, InternalPortSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('cluster_slice', 'cluster_id', 'cluster'),
  toRow('ingress_host', 'cluster_id', 'cluster'),
  toRow('internal_port', 'cluster_id', 'cluster'),
  toRow('observed_slice', 'cluster_id', 'cluster'),
];
