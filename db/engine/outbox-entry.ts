import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../postgres/json.ts';

/** Starts and messages still to be delivered to actors, in the order of `id`. */
export const OutboxEntrySchema = defineEntity({
  name: 'OutboxEntry',
  tableName: 'outbox',
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
    { name: 'outbox_actor_id_id_index', properties: ['actorId', 'id'] },
    { name: 'outbox_next_attempt_at_index', properties: ['nextAttemptAt', 'id'] },
    { name: 'outbox_organization_id_index', properties: ['organizationId'] },
    { name: 'outbox_poisoned_index', properties: ['id'], where: 'attempts >= 10' },
  ],
  checks: [{ name: 'outbox_message_check', expression: "(kind = 'message') = (message is not null)" }],
});

export class OutboxEntry extends OutboxEntrySchema.class {}
OutboxEntrySchema.setClass(OutboxEntry);
