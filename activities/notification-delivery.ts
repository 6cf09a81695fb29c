import { sendChat } from '../outbound/channels/chat-webhook.ts';
import type { NotificationDeliveryState } from '../workflows/notification-delivery/descriptor.ts';
import { type Attempted, attempt, failAttempts, type Says } from './attempts/attempt.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  deliveryId: string;
  organizationId: string;
}

/** Activities of a message on its way to a chat. Each may run twice. */
export function createActivities(parts: ActivityParts) {
  const deliveries: Attempted<NotificationDeliveryState> = {
    kind: 'notification-delivery',
    gone: 'dropped',
    send: (_, url, message) => sendChat(url, message, parts.outbound),
    arrived: () => ({ state: 'delivered', over: true }),
    retrying: () => 'retrying',
  };

  return {
    async attemptDelivery({
      deliveryId: id,
      ...known
    }: Ref & { revision: number }): Promise<Says<NotificationDeliveryState>> {
      return await attempt(parts, deliveries, { ...known, id });
    },

    async failDelivery({
      deliveryId: id,
      organizationId,
      message,
    }: Ref & { message: string }): Promise<{ state: NotificationDeliveryState }> {
      return await failAttempts(parts, deliveries, { organizationId, id }, message);
    },
  };
}

export type NotificationDeliveryActivities = ReturnType<typeof createActivities>;
