import { defineEntity, p } from '@mikro-orm/core';
import { notificationKinds } from '../../domain/notifications/notifications.ts';
import { notificationDeliveryStates } from '../../workflows/notification-delivery/descriptor.ts';
import type { JsonObject } from '../postgres/json.ts';

const message = {
  organizationId: p.uuid(),
  notificationChannelId: p.uuid(),
  /** The event, told once to a channel. */
  occasion: p.text(),
  kind: p.enum(notificationKinds),
  title: p.text(),
  body: p.text(),
  link: p.json<JsonObject>(),
};

/** One event on its way to one channel: the row of the actor `notification-delivery/<id>`. */
export const NotificationDeliverySchema = defineEntity({
  name: 'NotificationDelivery',
  tableName: 'delivery',
  properties: {
    id: p.uuid().primary(),
    ...message,
    /** Those that were made and failed, or the one that arrived. */
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime(3).nullable(),
    state: p.enum(notificationDeliveryStates).default('sending'),
    revision: p.integer().default(0),
    /** Why the last attempt failed. */
    message: p.text().nullable(),
    blocker: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'delivery_occasion_unique', properties: ['notificationChannelId', 'occasion'] }],
  indexes: [
    {
      name: 'delivery_page_index',
      properties: ['organizationId', 'notificationChannelId', 'createdAt', 'id'],
    },
    { name: 'delivery_open_index', properties: ['notificationChannelId'], where: 'finished_at is null' },
    {
      name: 'delivery_without_archive_index',
      properties: ['finishedAt'],
      where: 'finished_at is not null and archived_at is null',
    },
    { name: 'delivery_finished_index', properties: ['finishedAt'], where: 'archived_at is not null' },
  ],
});

export class NotificationDelivery extends NotificationDeliverySchema.class {}
NotificationDeliverySchema.setClass(NotificationDelivery);

/**
 * One event whose turn has not come: a channel has few deliveries under way at a time, so that one whose other side is dead
 * fills neither Temporal nor the workers. Under the same id it becomes a delivery.
 */
export const QueuedDeliverySchema = defineEntity({
  name: 'QueuedDelivery',
  tableName: 'queued_delivery',
  properties: { id: p.uuid().primary(), ...message, createdAt: p.datetime(3).defaultRaw('now()') },
  uniques: [{ name: 'queued_delivery_occasion_unique', properties: ['notificationChannelId', 'occasion'] }],
  indexes: [
    {
      name: 'queued_delivery_page_index',
      properties: ['organizationId', 'notificationChannelId', 'createdAt', 'id'],
    },
  ],
});

export class QueuedDelivery extends QueuedDeliverySchema.class {}
QueuedDeliverySchema.setClass(QueuedDelivery);
