import { NotificationSchema } from './notification.ts';

export const notifications = [NotificationSchema] as const;
