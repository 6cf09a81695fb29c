import { defineEntity, p } from '@mikro-orm/core';
import { notificationKinds } from '../../domain/notifications/notifications.ts';
import type { ForeignKey } from '../postgres/foreign-key.ts';
import type { JsonObject } from '../postgres/json.ts';

/** One event in the inbox of one person. */
const NotificationSchema = defineEntity({
  name: 'notification',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    userId: p.uuid(),
    kind: p.enum(notificationKinds),
    /** The event: told again, it is in nobody's inbox twice. */
    occasion: p.text(),
    title: p.text(),
    body: p.text(),
    link: p.json<JsonObject>(),
    createdAt: p.datetime(3).defaultRaw('clock_timestamp()'),
    readAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'notification_occasion_unique', properties: ['organizationId', 'userId', 'occasion'] }],
  indexes: [
    { name: 'notification_page_index', properties: ['organizationId', 'userId', 'createdAt', 'id'] },
    {
      name: 'notification_unread_index',
      properties: ['organizationId', 'userId', 'createdAt', 'id'],
      where: 'read_at is null',
    },
  ],
});

export const notifications = [NotificationSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  // The inbox of somebody who leaves goes, too. Its organization is that of the membership: a reference of its own would be
  // checked for each row of a burst.
  {
    table: 'notification',
    columns: ['organization_id', 'user_id'],
    references: 'membership',
    referenced: ['organization_id', 'user_id'],
    onDelete: 'cascade',
  },
];
