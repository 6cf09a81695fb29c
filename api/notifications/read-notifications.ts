import { z } from 'zod';
import { countUnread, readNotifications as read } from '../../db/notifications/notifications.ts';
import { operation } from '../engine/operation.ts';
import { inboxIsPersonal, inboxOf } from './notification.ts';

const mostAtOnce = 200;

export const readNotifications = operation({
  method: 'POST',
  url: '/api/v1/notifications/read',
  summary: 'Mark notifications as read',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  credentials: 'session',
  why: inboxIsPersonal,
  problems: [],
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
