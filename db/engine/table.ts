import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../postgres/json.ts';
import { authorKinds } from './author.ts';

/** A page of an actor's history, compressed and encrypted. */
const HistoryArchivePageSchema = defineEntity({
  name: 'history_archive',
  properties: {
    actorId: p.text().primary(),
    runId: p.text().primary(),
    page: p.integer().primary(),
    organizationId: p.uuid(),
    bytes: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['organizationId'] }],
});

/** Who did what, on what, when, from where. Written once, never changed. */
const AuditRecordSchema = defineEntity({
  name: 'audit_record',
  properties: {
    id: p.uuid().primary(),
    /** Null: it concerns the installation. */
    organizationId: p.uuid().nullable(),
    at: p.datetime(3).defaultRaw('now()'),
    action: p.text(),
    actorKind: p.enum(authorKinds),
    actorId: p.text(),
    actorName: p.text(),
    ip: p.text().nullable(),
    requestId: p.text().nullable(),
    subjectKind: p.text(),
    subjectId: p.text(),
    subjectName: p.text().nullable(),
    details: p.json<JsonObject>().nullable(),
    /** The workflow that it started: the id of the actor's row. */
    workflowId: p.uuid().nullable(),
  },
  indexes: [
    { properties: ['organizationId', 'at', 'id'] },
    {
      name: 'audit_record_organization_id_subject_index',
      properties: ['organizationId', 'subjectKind', 'subjectId', 'at', 'id'],
    },
    {
      name: 'audit_record_workflow_id_index',
      properties: ['organizationId', 'workflowId'],
      where: 'workflow_id is not null',
    },
    { name: 'audit_record_organization_id_actor_id_index', properties: ['organizationId', 'actorId', 'at', 'id'] },
  ],
});

/**
 * A hint that something changed. Partitioned by day of `at` (see db/engine/feed/feed-partitions.ts), which is why `at` belongs to
 * the key. `at` is the clock at the insert, not the start of the transaction: the feed's stall is measured by it.
 */
const ChangeFeedEntrySchema = defineEntity({
  name: 'change_feed',
  properties: {
    position: p.bigint('string').primary().autoincrement(),
    at: p.datetime(3).primary().defaultRaw('clock_timestamp()'),
    transactionId: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    organizationId: p.uuid(),
    kind: p.text(),
    subjectId: p.text(),
    projectId: p.uuid().nullable(),
  },
  indexes: [
    { properties: ['transactionId', 'position'] },
    // For the purge: the feed is the longest table that belongs to organizations.
    { properties: ['organizationId'] },
  ],
});

/** The stored answer to a request with an `Idempotency-Key`, kept for a day. */
const IdempotentAnswerSchema = defineEntity({
  name: 'idempotent_answer',
  properties: {
    credentialId: p.text().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    requestHash: p.blob().$type<Buffer>(),
    status: p.integer(),
    /** The answer's bytes; null when there were none or when they held a secret. */
    body: p.text().nullable(),
    /** Set instead of a body that held a secret: what was created. */
    subjectId: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['createdAt'] }],
});

/** How many requests of a minute are already handed out to the API processes. */
const RatePermitSchema = defineEntity({
  name: 'rate_permit',
  properties: {
    key: p.text().primary(),
    windowStart: p.datetime(3).primary(),
    taken: p.integer(),
    /** The grant of the last caller: one statement can then count and answer. */
    granted: p.integer(),
  },
  indexes: [{ properties: ['windowStart'] }],
});

/** One of the streams a credential may hold at once: a slot, held until `expiresAt`. */
const StreamLeaseSchema = defineEntity({
  name: 'stream_lease',
  properties: {
    credential: p.text().primary(),
    kind: p.text().primary(),
    slot: p.integer().primary(),
    id: p.uuid().unique('stream_lease_id_unique'),
    /** The process that serves the stream. */
    holder: p.text(),
    expiresAt: p.datetime(3),
  },
  indexes: [{ properties: ['expiresAt'] }],
});

/** Starts and messages still to be delivered to actors, in the order of `id`. */
const OutboxEntrySchema = defineEntity({
  name: 'outbox',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    /** `<kind>/<row>`: see domain/actors/actors.ts. */
    actorId: p.text(),
    organizationId: p.uuid(),
    kind: p.enum(['start', 'message']),
    /** The signal's name; null for a start. */
    message: p.text().nullable(),
    body: p.json<JsonObject>(),
    /** Who caused it: becomes the workflow's memo. */
    author: p.json<JsonObject>(),
    /** The trace it belongs to, as W3C headers. */
    trace: p.json<JsonObject>().nullable(),
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime(3).defaultRaw('now()'),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { properties: ['actorId', 'id'] },
    { name: 'outbox_next_attempt_at_index', properties: ['nextAttemptAt', 'id'] },
    { properties: ['organizationId'] },
    { name: 'outbox_poisoned_index', properties: ['id'], where: 'attempts >= 10' },
  ],
  checks: [{ name: 'outbox_message_check', expression: "(kind = 'message') = (message is not null)" }],
});

/** A running process of ours. It says that it lives every few seconds. */
const ProcessSchema = defineEntity({
  name: 'process',
  properties: {
    id: p.uuid().primary(),
    kind: p.enum(['api', 'worker', 'identity']),
    version: p.text(),
    state: p.json<JsonObject>(),
    startedAt: p.datetime(3).defaultRaw('now()'),
    /** Since when it has been there without a gap: later than `startedAt` if it, or the database, was away. */
    presentSince: p.datetime(3).defaultRaw('now()'),
    seenAt: p.datetime(3).defaultRaw('now()'),
    /** Of a worker: the last beat by which it served actors. */
    servedAt: p.datetime(3).nullable(),
    /** When it ended by itself; one that was killed says nothing. */
    endedAt: p.datetime(3).nullable(),
  },
});

export const engine = [
  AuditRecordSchema,
  OutboxEntrySchema,
  ChangeFeedEntrySchema,
  IdempotentAnswerSchema,
  HistoryArchivePageSchema,
  StreamLeaseSchema,
  RatePermitSchema,
  ProcessSchema,
] as const;
