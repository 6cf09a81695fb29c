import { type NotificationKind, notificationKinds } from './notifications.ts';

export const channelKinds = ['chat_webhook', 'incident_pager'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The kinds that a channel hears of unless its owner says otherwise. */
export const defaultEvents: Readonly<Record<ChannelKind, readonly NotificationKind[]>> = {
  chat_webhook: notificationKinds,
  incident_pager: ['failure', 'warning'],
};

const routingKey = /^[A-Za-z0-9]{20,64}$/;

/** Why a text cannot be the routing key of a pager. */
export function routingKeyFault(secret: string): string | undefined {
  return routingKey.test(secret)
    ? undefined
    : 'must be the routing key of an integration: 20 to 64 letters and digits, nothing else';
}

/**
 * The part of a secret that everybody who sees the channel may see: the last characters of a routing key, and of a webhook's
 * address the host alone, since the rest of it is the password.
 */
export function hintOf(kind: ChannelKind, secret: string): string {
  return kind === 'incident_pager' ? `…${secret.slice(-4)}` : new URL(secret).host;
}
