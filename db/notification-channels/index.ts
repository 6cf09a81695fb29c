import { IncidentSchema } from './incident.ts';
import { NotificationChannelSchema } from './notification-channel.ts';
import { NotificationDeliverySchema, QueuedDeliverySchema } from './notification-delivery.ts';

export const notificationChannels = [
  NotificationChannelSchema,
  QueuedDeliverySchema,
  NotificationDeliverySchema,
  IncidentSchema,
] as const;
