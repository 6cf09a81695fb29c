import { defineEntity, p } from '@mikro-orm/core';
import { channelKinds } from '../../domain/notifications/channels.ts';
import type { NotificationKind } from '../../domain/notifications/notifications.ts';

/** A way out of Ballast for notifications: a chat's incoming webhook, or a pager. */
export const NotificationChannelSchema = defineEntity({
  name: 'NotificationChannel',
  tableName: 'notification_channel',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    kind: p.enum(channelKinds),
    label: p.text(),
    events: p.json<NotificationKind[]>(),
    enabled: p.boolean().default(true),
    /** Webhook or routing key, encrypted with the organization's key; null once the channel is deleted. */
    sealed: p.blob().$type<Buffer>().nullable(),
    hint: p.text(),
    lastError: p.text().nullable(),
    lastDeliveredAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** From then on it is there for nobody; the row stays as long as the records of its deliveries. */
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'notification_channel_organization_id_id_unique', properties: ['organizationId', 'id'] }],
  indexes: [{ name: 'notification_channel_created_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

export class NotificationChannel extends NotificationChannelSchema.class {}
NotificationChannelSchema.setClass(NotificationChannel);
