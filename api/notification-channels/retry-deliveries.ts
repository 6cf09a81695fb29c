import { z } from 'zod';
import { retryDeliveries as retry } from '../../db/notification-channels/notification-channels.ts';
import { operation } from '../engine/operation.ts';
import { channelPath, theNotificationChannel } from './notification-channel.ts';

export const retryDeliveries = operation({
  method: 'POST',
  url: '/api/v1/notification-channels/{id}/retry',
  summary: 'Retry at once what could not be delivered',
  description: 'The attempts count as any other.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: channelPath,
  result: z.object({ retried: z.int().describe('How many messages.') }),
  async handle({ caller, path, effect }) {
    const channel = await caller.see(theNotificationChannel, path.id, effect.kysely);
    return { retried: await retry(effect, caller.organization.id, channel) };
  },
});
