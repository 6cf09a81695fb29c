import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, partOf } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/**
 * Somebody who reads a log right now, for the API process that the agent polls. Unlogged, and deleted when the reader
 * leaves: after a crash of PostgreSQL the reader's process writes it again.
 */
const LogReaderSchema = defineEntity({
  name: 'log_reader',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    clusterId: p.uuid(),
    instance: p.text(),
    /** Where to begin and whether to follow: see `logReader` in protocol/logs.ts. */
    wanted: p.json().$type<JsonObject>(),
    leaseUntil: p.datetime(3),
  },
  indexes: [{ properties: ['organizationId'] }, { properties: ['clusterId'] }],
});

/**
 * Batches of logs between two API processes: the one that an agent reached, and the one that the reader reached. A ring
 * of unlogged partitions, one emptied after the other (db/logs/log-relay.ts).
 */
const LogRelaySchema = defineEntity({
  name: 'log_relay',
  properties: {
    readerId: p.uuid().primary(),
    number: p.bigint('string').primary().autoincrement(),
    /** The partition. */
    slot: p.smallint().primary(),
    organizationId: p.uuid(),
    /** The batch, sealed like other output of programs. */
    sealed: p.blob().$type<Buffer>(),
  },
  indexes: [{ properties: ['organizationId'] }],
});

export const logs = [LogReaderSchema, LogRelaySchema] as const;

export const foreignKeys: readonly ForeignKey[] = [partOf('log_reader', 'cluster_id', 'cluster')];
