import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('notification_channel'),
  toOrganization('queued_delivery'),
  {
    table: 'queued_delivery',
    columns: ['organization_id', 'notification_channel_id'],
    references: 'notification_channel',
    referenced: ['organization_id', 'id'],
  },
];
