import { defineEntity, p } from '@mikro-orm/core';

/** A message of a webhook that was taken: the same one again changes nothing. Kept for a month. */
export const GitDeliverySchema = defineEntity({
  name: 'GitDelivery',
  tableName: 'git_delivery',
  properties: {
    gitConnectionId: p.uuid().primary(),
    /** As the host names the message; of one without a name, the digest of its bytes. */
    name: p.text().primary(),
    organizationId: p.uuid(),
    receivedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'git_delivery_received_at_index', properties: ['receivedAt'] },
    { name: 'git_delivery_organization_id_index', properties: ['organizationId'] },
  ],
});

export class GitDelivery extends GitDeliverySchema.class {}
GitDeliverySchema.setClass(GitDelivery);
