import { listNotifications } from './list-notifications.ts';
import { readNotifications } from './read-notifications.ts';

export const notifications = { list: listNotifications, read: readNotifications };
