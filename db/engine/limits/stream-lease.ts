import { defineEntity, p } from '@mikro-orm/core';

/** One of the streams a credential may hold at once: a slot, held until `expiresAt`. */
export const StreamLeaseSchema = defineEntity({
  name: 'StreamLease',
  tableName: 'stream_lease',
  properties: {
    credential: p.text().primary(),
    kind: p.text().primary(),
    slot: p.integer().primary(),
    id: p.uuid().unique('stream_lease_id_unique'),
    /** The process that serves the stream. */
    holder: p.text(),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'stream_lease_expires_at_index', properties: ['expiresAt'] }],
});

export class StreamLease extends StreamLeaseSchema.class {}
StreamLeaseSchema.setClass(StreamLease);
