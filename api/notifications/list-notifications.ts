import { z } from 'zod';
import { readInbox } from '../../db/notifications/notifications.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { inboxIsPersonal, inboxOf, notificationAnswer, notificationSchema } from './notification.ts';

export const listNotifications = operation({
  method: 'GET',
  url: '/api/v1/notifications',
  summary: 'List your notifications, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  credentials: 'session',
  why: inboxIsPersonal,
  problems: [],
  query: z.strictObject({ unread: z.boolean().default(false).describe('Only those that you have not read.') }),
  paged: {
    after: createdPosition,
    beside: z.object({ unreadCount: z.int().describe('How many you have not read, on all pages.') }),
  },
  result: notificationSchema,
  async handle({ caller, query: { unread }, page, database }) {
    const inbox = inboxOf(caller);
    const { entries, unreadCount } = await readInbox(database.kysely, inbox, { ...oneMore(page), unread });
    return { ...pageOf(entries, page, ({ id }) => id, notificationAnswer), beside: { unreadCount } };
  },
});
