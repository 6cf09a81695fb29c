import { defineEntity, p } from '@mikro-orm/core';

/** How many requests of a minute are already handed out to the API processes. */
export const RatePermitSchema = defineEntity({
  name: 'RatePermit',
  tableName: 'rate_permit',
  properties: {
    key: p.text().primary(),
    windowStart: p.datetime(3).primary(),
    taken: p.integer(),
    /** The grant of the last caller: one statement can then count and answer. */
    granted: p.integer(),
  },
  indexes: [{ name: 'rate_permit_window_start_index', properties: ['windowStart'] }],
});

export class RatePermit extends RatePermitSchema.class {}
RatePermitSchema.setClass(RatePermit);
