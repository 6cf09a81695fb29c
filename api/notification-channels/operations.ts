import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { listDeliveries as deliveriesOf, deliveryStates } from '../../db/notification-channels/deliveries.ts';
import {
  listNotificationChannels as channelsOf,
  createNotificationChannel as create,
  findNotificationChannel,
  lockNotificationChannel,
  noteTest,
  deleteNotificationChannel as remove,
  retryDeliveries as retry,
  secretOf,
  updateNotificationChannel as update,
} from '../../db/notification-channels/notification-channels.ts';
import { channelTest } from '../../domain/notifications/messages.ts';
import { channelKinds, defaultEvents } from '../../domain/notifications/notifications.ts';
import { sendChat } from '../../outbound/channels/chat-webhook.ts';
import { sendPagerChange } from '../../outbound/channels/incident-pager.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import {
  channelFields,
  checkSecret,
  notificationChannelAnswer,
  notificationChannelSchema,
  secretText,
  theNotificationChannel,
} from './notification-channel.ts';

const createNotificationChannel = operation({
  method: 'POST',
  url: '/api/v1/notification-channels',
  summary: 'Create a notification channel',
  description: 'Its secret is stored encrypted and never answered.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['quota-reached'],
  body: z.strictObject({
    kind: z.enum(channelKinds),
    label: channelFields.label,
    events: channelFields.events
      .optional()
      .describe('By default all four kinds for a chat; failures and warnings for a pager, which acts on no others.'),
    secret: secretText,
  }),
  status: 201,
  result: notificationChannelSchema,
  async handle({ caller, body, effect, server }) {
    const { kind, label, secret, events = defaultEvents[kind] } = body;
    const { NOTIFICATION_CHANNELS_PER_ORGANIZATION: most } = server.settings;
    checkSecret(kind, secret, server.outbound);
    const owner = caller.organization.id;
    await refuseBeyond(effect, {
      setting: 'NOTIFICATION_CHANNELS_PER_ORGANIZATION',
      most,
      owner,
      things: 'notification channels in this organization',
      rows: sql`notification_channel where organization_id = ${owner} and deleted_at is null`,
    });
    return notificationChannelAnswer(await create(effect, server.keyring, owner, { kind, label, events, secret }));
  },
});

const deleteNotificationChannel = operation({
  method: 'DELETE',
  url: '/api/v1/notification-channels/{id}',
  summary: 'Delete a notification channel',
  description: 'What is on its way is dropped, and its secret is erased.',
  role: 'admin',
  projectTokens: 'refused',
  async handle({ caller, path, effect }) {
    await lockNotificationChannel(effect, caller.organization.id, path.id);
    const channel = await caller.see(theNotificationChannel, path.id, effect.kysely);
    await remove(effect, caller.organization.id, channel);
  },
});

const listDeliveries = operation({
  method: 'GET',
  url: '/api/v1/notification-channels/{id}/deliveries',
  summary: 'List what was sent to a notification channel, newest first',
  description: 'Messages to a chat, and incidents of a pager, of the last 30 days.',
  role: 'admin',
  projectTokens: 'refused',
  of: theNotificationChannel,
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
  async handle({ found: { id }, caller, page, database }) {
    const found = await deliveriesOf(database.kysely, caller.organization.id, id, oneMore(page));
    return pageOf(found, page, (one) => ({
      ...one,
      lastError: one.lastError ?? '',
      workflowId: one.state === 'queued' ? undefined : one.id,
    }));
  },
});

const listNotificationChannels = operation({
  method: 'GET',
  url: '/api/v1/notification-channels',
  summary: 'List notification channels, oldest first',
  role: 'viewer',
  projectTokens: 'refused',
  result: z.object({ items: z.array(notificationChannelSchema) }).meta({ id: 'NotificationChannels' }),
  async handle({ caller, database }) {
    const channels = await channelsOf(database.kysely, caller.organization.id);
    return { items: channels.map(notificationChannelAnswer) };
  },
});

const retryDeliveries = operation({
  method: 'POST',
  url: '/api/v1/notification-channels/{id}/retry',
  summary: 'Retry at once what could not be delivered',
  description: 'The attempts count as any other.',
  role: 'admin',
  projectTokens: 'refused',
  of: theNotificationChannel,
  result: z.object({ retried: z.int().describe('How many messages.') }),
  async handle({ found: channel, caller, effect }) {
    return { retried: await retry(effect, caller.organization.id, channel) };
  },
});

const testNotificationChannel = operation({
  method: 'POST',
  url: '/api/v1/notification-channels/{id}/test',
  summary: 'Test a notification channel',
  description:
    'Sends a message to a chat, or to a pager a change event, which pages nobody. One attempt, which is not retried; the answer comes when it is known.',
  role: 'admin',
  projectTokens: 'refused',
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

const updateNotificationChannel = operation({
  method: 'PATCH',
  url: '/api/v1/notification-channels/{id}',
  summary: 'Change a notification channel',
  description:
    'Disabling it drops what is on its way, and enabling it does not bring that back. A new secret clears the last error, and is tried at once with what could not be delivered.',
  role: 'admin',
  projectTokens: 'refused',
  body: z.strictObject({
    label: channelFields.label.optional(),
    events: channelFields.events.optional(),
    enabled: z.boolean().optional(),
    secret: secretText.optional().describe('Blank keeps the one that it has.'),
  }),
  result: notificationChannelSchema,
  async handle({ caller, path, body, effect, server }) {
    const organizationId = caller.organization.id;
    await lockNotificationChannel(effect, organizationId, path.id);
    const before = await caller.see(theNotificationChannel, path.id, effect.kysely);
    const secret = body.secret === '' ? undefined : body.secret;
    if (secret !== undefined) checkSecret(before.kind, secret, server.outbound);
    return notificationChannelAnswer(await update(effect, server.keyring, organizationId, before, { ...body, secret }));
  },
});

export const notificationChannels = {
  list: listNotificationChannels,
  create: createNotificationChannel,
  update: updateNotificationChannel,
  delete: deleteNotificationChannel,
  test: testNotificationChannel,
  deliveries: listDeliveries,
  retry: retryDeliveries,
};
