import { z } from 'zod';
import { listNotificationChannels as list } from '../../db/notification-channels/notification-channels.ts';
import { operation } from '../engine/operation.ts';
import { notificationChannelAnswer, notificationChannelSchema } from './notification-channel.ts';

export const listNotificationChannels = operation({
  method: 'GET',
  url: '/api/v1/notification-channels',
  summary: 'List notification channels, oldest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: [],
  result: z.object({ items: z.array(notificationChannelSchema) }).meta({ id: 'NotificationChannels' }),
  async handle({ caller, database }) {
    const channels = await list(database.kysely, caller.organization.id);
    return { items: channels.map(notificationChannelAnswer) };
  },
});
