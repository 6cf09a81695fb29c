import { z } from 'zod';
import {
  findNotificationChannel,
  type NotificationChannelView,
} from '../../db/notification-channels/notification-channels.ts';
import {
  type ChannelKind,
  channelKinds,
  notificationKinds,
  routingKeyFault,
} from '../../domain/notifications/notifications.ts';
import { outboundFault } from '../../outbound/failures.ts';
import type { AddressRules } from '../../outbound/rules.ts';
import { checkTarget } from '../../outbound/target.ts';
import type { AnswerOf } from '../engine/answers.ts';
import { invalidField } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';

export const theNotificationChannel = resource('notification channel', findNotificationChannel);

export const notificationChannelSchema = z
  .object({
    id: z.guid(),
    kind: z.enum(channelKinds),
    label: z.string(),
    hint: z.string().describe('The part of its secret that is none: the host of a webhook, the end of a routing key.'),
    events: z.array(z.enum(notificationKinds)),
    enabled: z.boolean(),
    failing: z.boolean().describe('Messages to it are being retried.'),
    lastError: z.string(),
    pending: z.int().describe('How many messages are on their way.'),
    nextAttemptAt: z.iso.datetime().optional().describe('When the first of those that are retried is tried again.'),
    createdAt: z.iso.datetime(),
    lastDeliveredAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'NotificationChannel' });

export const channelFields = {
  label: nameText(),
  events: z
    .array(z.enum(notificationKinds))
    .min(1)
    .max(20)
    .transform((kinds) => notificationKinds.filter((kind) => kinds.includes(kind)))
    .describe('The kinds of notifications that it gets.'),
};

export const secretText = z
  .string()
  .trim()
  .max(2_000)
  .meta({ writeOnly: true })
  .describe('The address of an incoming webhook, or the routing key of a pager. Never answered.');

export function notificationChannelAnswer(
  channel: NotificationChannelView,
): AnswerOf<typeof notificationChannelSchema> {
  return { ...channel, failing: channel.retrying > 0, lastError: channel.lastError ?? '' };
}

/** Refuses a secret that nothing could be sent with. Its value is never told, not even to its sender. */
export function checkSecret(kind: ChannelKind, secret: string, rules: AddressRules): void {
  const message = kind === 'incident_pager' ? routingKeyFault(secret) : webhookFault(secret, rules);
  if (message !== undefined) throw invalidField('body.secret', message);
}

function webhookFault(secret: string, rules: AddressRules): string | undefined {
  if (!/^https:\/\//i.test(secret) || !URL.canParse(secret)) {
    return 'must be the absolute address of an incoming webhook, which begins with https://';
  }
  const { username, password } = new URL(secret);
  if (username !== '' || password !== '') return 'must carry no user name and no password';
  try {
    checkTarget(secret, rules);
    return undefined;
  } catch (error) {
    return `cannot be reached: ${outboundFault(error)}`;
  }
}
