import { z } from 'zod';
import { countUnread, type Inbox, readNotifications as read, readInbox } from '../../db/notifications/notifications.ts';
import { linkTypes, notificationKinds } from '../../domain/notifications/notifications.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';

const id = z.string().optional();

export const notificationSchema = z
  .object({
    id: z.string(),
    kind: z.enum(notificationKinds),
    title: z.string(),
    body: z.string(),
    link: z.object({
      type: z.enum(linkTypes).describe('The kind of its subject, whose page it opens.'),
      ...{
        approvalId: id,
        buildId: id,
        clusterId: id,
        deploymentId: id,
        environmentId: id,
        guardLooseningId: id,
        projectId: id,
        serviceId: id,
        volumeBackupId: id,
      },
      tab: z.string().optional(),
    }),
    createdAt: z.iso.datetime(),
    readAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Notification' });

const inboxIsPersonal =
  'An API token has no inbox of notifications: sign in to the console, or let a channel deliver them.';

function inboxOf({ organization, userId }: OrganizationCaller): Inbox {
  if (userId === undefined) throw new Problem('session-required', inboxIsPersonal);
  return { organizationId: organization.id, userId };
}

const listNotifications = operation({
  method: 'GET',
  url: '/api/v1/notifications',
  summary: 'List your notifications, newest first',
  role: 'viewer',
  projectTokens: 'refused',
  credentials: 'session',
  why: inboxIsPersonal,
  query: z.strictObject({ unread: z.boolean().default(false).describe('Only those that you have not read.') }),
  paged: {
    after: createdPosition,
    beside: z.object({ unreadCount: z.int().describe('How many you have not read, on all pages.') }),
  },
  result: notificationSchema,
  async handle({ caller, query: { unread }, page, database }) {
    const inbox = inboxOf(caller);
    const { entries, unreadCount } = await readInbox(database.kysely, inbox, { ...oneMore(page), unread });
    return { ...pageOf(entries, page), beside: { unreadCount } };
  },
});

const mostAtOnce = 200;

const readNotifications = operation({
  method: 'POST',
  url: '/api/v1/notifications/read',
  summary: 'Mark notifications as read',
  role: 'viewer',
  projectTokens: 'refused',
  credentials: 'session',
  why: inboxIsPersonal,
  body: z.union([
    z.strictObject({ all: z.literal(true) }),
    z.strictObject({ ids: z.array(z.guid().toLowerCase()).min(1).max(mostAtOnce) }),
  ]),
  result: z.object({
    unreadCount: z.int().describe('How many are left.'),
    updated: z.int().describe('How many of them you had not read before.'),
  }),
  async handle({ caller, body, effect }) {
    const inbox = inboxOf(caller);
    const updated = await read(effect, inbox, 'ids' in body ? body.ids : 'all');
    return { unreadCount: await countUnread(effect.kysely, inbox), updated };
  },
});

export const notifications = { list: listNotifications, read: readNotifications };
