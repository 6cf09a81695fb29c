import { createNotificationChannel } from './create-notification-channel.ts';
import { deleteNotificationChannel } from './delete-notification-channel.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listNotificationChannels } from './list-notification-channels.ts';
import { retryDeliveries } from './retry-deliveries.ts';
import { testNotificationChannel } from './test-notification-channel.ts';
import { updateNotificationChannel } from './update-notification-channel.ts';

export const notificationChannels = {
  list: listNotificationChannels,
  create: createNotificationChannel,
  update: updateNotificationChannel,
  delete: deleteNotificationChannel,
  test: testNotificationChannel,
  deliveries: listDeliveries,
  retry: retryDeliveries,
};
