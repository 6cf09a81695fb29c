import {
  lockNotificationChannel,
  deleteNotificationChannel as remove,
} from '../../db/notification-channels/notification-channels.ts';
import { operation } from '../engine/operation.ts';
import { channelPath, theNotificationChannel } from './notification-channel.ts';

export const deleteNotificationChannel = operation({
  method: 'DELETE',
  url: '/api/v1/notification-channels/{id}',
  summary: 'Delete a notification channel',
  description: 'What is on its way is dropped, and its secret is erased.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: channelPath,
  async handle({ caller, path, effect }) {
    await lockNotificationChannel(effect, caller.organization.id, path.id);
    const channel = await caller.see(theNotificationChannel, path.id, effect.kysely);
    await remove(effect, caller.organization.id, channel);
  },
});
