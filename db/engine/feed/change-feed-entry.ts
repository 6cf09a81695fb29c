import { defineEntity, p } from '@mikro-orm/core';

/**
 * A hint that something changed. Partitioned by day of `at` (see db/engine/feed/feed-partitions.ts), which is why `at` belongs to
 * the key. `at` is the clock at the insert, not the start of the transaction: the feed's stall is measured by it.
 */
export const ChangeFeedEntrySchema = defineEntity({
  name: 'ChangeFeedEntry',
  tableName: 'change_feed',
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
    { name: 'change_feed_transaction_id_position_index', properties: ['transactionId', 'position'] },
    // For the purge: the feed is the longest table that belongs to organizations.
    { name: 'change_feed_organization_id_index', properties: ['organizationId'] },
  ],
});

export class ChangeFeedEntry extends ChangeFeedEntrySchema.class {}
ChangeFeedEntrySchema.setClass(ChangeFeedEntry);
