import { z } from 'zod';
import { findNotificationChannel, noteTest, secretOf } from '../../db/notification-channels/notification-channels.ts';
import { channelTest } from '../../domain/notifications/messages/channel-test.ts';
import { sendChat } from '../../outbound/channels/chat-webhook.ts';
import { sendPagerChange } from '../../outbound/channels/incident-pager.ts';
import { operation } from '../engine/operation.ts';
import {
  channelPath,
  notificationChannelAnswer,
  notificationChannelSchema,
  theNotificationChannel,
} from './notification-channel.ts';

export const testNotificationChannel = operation({
  method: 'POST',
  url: '/api/v1/notification-channels/{id}/test',
  summary: 'Test a notification channel',
  description:
    'Sends a message to a chat, or to a pager a change event, which pages nobody. One attempt, which is not retried; the answer comes when it is known.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: channelPath,
  ownEffect: true,
  result: z
    .object({ channel: notificationChannelSchema, delivered: z.boolean().describe('Otherwise `lastError` says why.') })
    .meta({ id: 'NotificationChannelTest' }),
  async handle({ caller, path, database, server, once }) {
    const { id: organizationId, name, slug } = caller.organization;
    const channel = await caller.see(theNotificationChannel, path.id);
    const { outbound: rules, settings } = server;
    const secret = await secretOf(database.kysely, server.keyring, organizationId, channel.id);
    const link = new URL(`/${slug}/notification-channels`, settings.PUBLIC_URL).href;
    const message = { ...channelTest({ organization: name, label: channel.label }), link };
    const sent =
      channel.kind === 'chat_webhook'
        ? await sendChat(secret ?? '', message, rules)
        : await sendPagerChange(secret ?? '', message, { rules, pagerUrl: settings.NOTIFICATION_PAGER_URL });
    const delivered = sent.outcome === 'delivered';
    return await once(async (effect) => {
      await noteTest(effect, organizationId, channel, delivered ? 'delivered' : { error: sent.error });
      const after = await findNotificationChannel(effect.kysely, organizationId, channel.id);
      return { channel: notificationChannelAnswer(after ?? channel), delivered };
    });
  },
});
