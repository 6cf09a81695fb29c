import { BroadcastIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { pageIn } from '../../frame/page-file.ts';
import type { NavigationEntry } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search } from '../../search.ts';

const channels = createRoute({
  ...pageIn(organizationRoute, '/notification-channels', () => import('./channel-list.tsx'), 'ChannelList'),
  validateSearch: ({ add }: Search) => flag('add', add),
});
const channel = createRoute(
  pageIn(organizationRoute, '/notification-channels/$channel', () => import('./channel.tsx'), 'OneChannel'),
);

export const routes = [channels, channel] as const;

export const place: NavigationEntry = {
  label: 'Channels',
  to: '/$organization/notification-channels',
  icon: <BroadcastIcon />,
  key: 'l',
  role: 'admin',
  also: 'notification channels webhook slack mattermost discord chat pagerduty pager incident alert',
};

export const affected: Affected<'notification_channel'> = {
  // The states of any page of deliveries move, not only those of the first.
  notification_channel: ({ notificationChannels }, id) => [
    one(notificationChannels.list, id),
    all(notificationChannels.deliveries),
  ],
};
