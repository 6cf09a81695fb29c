import { defineEntity, p } from '@mikro-orm/core';
import { channelKinds, type NotificationKind, notificationKinds } from '../../domain/notifications/notifications.ts';
import { incidentStates } from '../../workflows/incident/descriptor.ts';
import { notificationDeliveryStates } from '../../workflows/notification-delivery/descriptor.ts';
import { actorRow, withoutArchive } from '../engine/actor-row.ts';
import { type ForeignKey, toOrganization, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/** Something that is wrong, told to one pager from its trigger to its resolve: the row of the actor `incident/<id>`. */
const IncidentSchema = defineEntity({
  name: 'incident',
  properties: {
    /** Its `message` is why the last attempt failed. */
    ...actorRow,
    notificationChannelId: p.uuid(),
    /** The thing that is wrong: of it there is one incident at a time. */
    subject: p.text(),
    /** The event that opened it. */
    occasion: p.text(),
    kind: p.enum(notificationKinds),
    title: p.text(),
    body: p.text(),
    link: p.json<JsonObject>(),
    /** The thing is well again: the resolve follows the trigger, whenever that arrives. */
    resolvedAt: p.datetime(3).nullable(),
    /** Of the trigger, and once that has arrived, of the resolve. */
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime(3).nullable(),
    state: p.enum(incidentStates).default('triggering'),
  },
  uniques: [
    {
      name: 'incident_open_unique',
      properties: ['notificationChannelId', 'subject'],
      where: 'finished_at is null and resolved_at is null',
    },
    { name: 'incident_occasion_unique', properties: ['notificationChannelId', 'occasion'] },
  ],
  indexes: [
    {
      name: 'incident_subject_index',
      properties: ['organizationId', 'subject'],
      where: 'finished_at is null and resolved_at is null',
    },
    { name: 'incident_page_index', properties: ['organizationId', 'notificationChannelId', 'createdAt', 'id'] },
    withoutArchive('incident'),
    { name: 'incident_finished_index', properties: ['finishedAt'], where: 'archived_at is not null' },
  ],
});

/** A way out of Ballast for notifications: a chat's incoming webhook, or a pager. */
const NotificationChannelSchema = defineEntity({
  name: 'notification_channel',
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
  uniques: [{ properties: ['organizationId', 'id'] }],
  indexes: [{ name: 'notification_channel_created_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

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
const NotificationDeliverySchema = defineEntity({
  name: 'delivery',
  properties: {
    /** Its `message` is why the last attempt failed. */
    ...actorRow,
    ...message,
    /** Those that were made and failed, or the one that arrived. */
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime(3).nullable(),
    state: p.enum(notificationDeliveryStates).default('sending'),
  },
  uniques: [{ name: 'delivery_occasion_unique', properties: ['notificationChannelId', 'occasion'] }],
  indexes: [
    {
      name: 'delivery_page_index',
      properties: ['organizationId', 'notificationChannelId', 'createdAt', 'id'],
    },
    { name: 'delivery_open_index', properties: ['notificationChannelId'], where: 'finished_at is null' },
    withoutArchive('delivery'),
    { name: 'delivery_finished_index', properties: ['finishedAt'], where: 'archived_at is not null' },
  ],
});

/**
 * One event whose turn has not come: a channel has few deliveries under way at a time, so that one whose other side is dead
 * fills neither Temporal nor the workers. Under the same id it becomes a delivery.
 */
const QueuedDeliverySchema = defineEntity({
  name: 'queued_delivery',
  properties: { id: p.uuid().primary(), ...message, createdAt: p.datetime(3).defaultRaw('now()') },
  uniques: [{ name: 'queued_delivery_occasion_unique', properties: ['notificationChannelId', 'occasion'] }],
  indexes: [
    {
      name: 'queued_delivery_page_index',
      properties: ['organizationId', 'notificationChannelId', 'createdAt', 'id'],
    },
  ],
});

export const notificationChannels = [
  NotificationChannelSchema,
  QueuedDeliverySchema,
  NotificationDeliverySchema,
  IncidentSchema,
] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('notification_channel'),
  toOrganization('queued_delivery'),
  toRow('queued_delivery', 'notification_channel_id', 'notification_channel'),
];
