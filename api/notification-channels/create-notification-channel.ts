import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createNotificationChannel as create } from '../../db/notification-channels/notification-channels.ts';
import { channelKinds, defaultEvents } from '../../domain/notifications/channels.ts';
import { operation } from '../engine/operation.ts';
import {
  channelFields,
  checkSecret,
  notificationChannelAnswer,
  notificationChannelSchema,
  secretText,
} from './notification-channel.ts';

export const createNotificationChannel = operation({
  method: 'POST',
  url: '/api/v1/notification-channels',
  summary: 'Create a notification channel',
  description: 'Its secret is stored encrypted and never answered.',
  scope: 'organization',
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
      remedy: 'delete one that is not needed',
    });
    return notificationChannelAnswer(await create(effect, server.keyring, owner, { kind, label, events, secret }));
  },
});
