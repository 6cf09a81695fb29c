import { z } from 'zod';
import { deliveryStates, listDeliveries as list } from '../../db/notification-channels/deliveries.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { channelPath, theNotificationChannel } from './notification-channel.ts';

export const listDeliveries = operation({
  method: 'GET',
  url: '/api/v1/notification-channels/{id}/deliveries',
  summary: 'List what was sent to a notification channel, newest first',
  description: 'Messages to a chat, and incidents of a pager, of the last 30 days.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: channelPath,
  paged: { after: createdPosition },
  result: z
    .object({
      id: z.guid(),
      kind: z.enum(['message', 'incident']),
      title: z.string(),
      state: z.enum(deliveryStates).describe('`queued`: it waits until others to this channel have ended.'),
      attempts: z.int(),
      lastError: z.string(),
      nextAttemptAt: z.iso.datetime().optional(),
      createdAt: z.iso.datetime(),
      finishedAt: z.iso.datetime().optional(),
      workflowId: z.guid().optional().describe('Absent while it is queued.'),
    })
    .meta({ id: 'NotificationDelivery' }),
  async handle({ caller, path, page, database }) {
    const { id } = await caller.see(theNotificationChannel, path.id);
    const found = await list(database.kysely, caller.organization.id, id, oneMore(page));
    return pageOf(
      found,
      page,
      (one) => one.id,
      (one) => ({
        ...{ id: one.id, kind: one.kind, title: one.title, state: one.state, attempts: one.attempts },
        lastError: one.lastError ?? '',
        createdAt: one.createdAt.toISOString(),
        ...(one.nextAttemptAt === null ? {} : { nextAttemptAt: one.nextAttemptAt.toISOString() }),
        ...(one.finishedAt === null ? {} : { finishedAt: one.finishedAt.toISOString() }),
        ...(one.state === 'queued' ? {} : { workflowId: one.id }),
      }),
    );
  },
});
