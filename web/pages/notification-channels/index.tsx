import { BroadcastIcon } from '@primer/octicons-react';
import { createRoute } from '@tanstack/react-router';
import { page } from '../../frame/page-file.ts';
import type { Place } from '../../frame/places.ts';
import { organizationRoute } from '../../frame/routes.ts';
import { type Affected, all, one } from '../../live/affected.ts';
import { flag, type Search } from '../../search.ts';
import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeeds, updatedDeed } from '../audit-log/plain-deeds.ts';

const channels = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/notification-channels',
  validateSearch: ({ add }: Search) => flag('add', add),
  component: page(() => import('./channel-list.tsx'), 'ChannelList'),
});
const channel = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/notification-channels/$channel',
  component: page(() => import('./channel.tsx'), 'OneChannel'),
});

export const routes = [channels, channel] as const;

export const place: Place = {
  label: 'Channels',
  to: '/$organization/notification-channels',
  icon: <BroadcastIcon />,
  key: 'l',
  role: 'admin',
  also: 'notification channels webhook slack mattermost discord chat pagerduty pager incident alert',
};

export const kinds: Kinds<'notification_channel'> = { notification_channel: 'Channels' };

export const affected: Affected<'notification_channel'> = {
  // The states of any page of deliveries move, not only those of the first.
  notification_channel: ({ notificationChannels }, id) => [
    one(notificationChannels.list, id),
    all(notificationChannels.deliveries),
  ],
};

const thing = 'the channel';

export const deeds: Deeds<'notification_channel'> = {
  ...plainDeeds('notification_channel', thing),
  'notification_channel.updated': updatedDeed(thing),
  'notification_channel.tested': {
    label: 'Tested',
    done: ({ name, details }) =>
      `tested the channel ${name}: the test ${details.delivered === true ? 'was delivered' : 'did not arrive'}`,
  },
  'notification_channel.retried': {
    label: 'Retried',
    done: ({ name }) => `retried what could not be delivered to the channel ${name}`,
  },
};
