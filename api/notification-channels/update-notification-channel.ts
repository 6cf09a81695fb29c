import { z } from 'zod';
import {
  lockNotificationChannel,
  updateNotificationChannel as update,
} from '../../db/notification-channels/notification-channels.ts';
import { operation } from '../engine/operation.ts';
import {
  channelFields,
  channelPath,
  checkSecret,
  notificationChannelAnswer,
  notificationChannelSchema,
  secretText,
  theNotificationChannel,
} from './notification-channel.ts';

export const updateNotificationChannel = operation({
  method: 'PATCH',
  url: '/api/v1/notification-channels/{id}',
  summary: 'Change a notification channel',
  description:
    'Disabling it drops what is on its way, and enabling it does not bring that back. A new secret clears the last error, and is tried at once with what could not be delivered.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: channelPath,
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
