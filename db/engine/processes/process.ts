import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../../postgres/json.ts';

/** A running process of ours. It says that it lives every few seconds. */
export const ProcessSchema = defineEntity({
  name: 'Process',
  tableName: 'process',
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

export class Process extends ProcessSchema.class {}
ProcessSchema.setClass(Process);
