import { type Deeds, plainDeed, plainDeeds, updatedDeed } from '../audit-log/deed.ts';

export const kinds = { notification_channel: 'Channels' };

const thing = 'the channel';

export const deeds: Deeds<'notification_channel'> = {
  ...plainDeeds('notification_channel', thing),
  'notification_channel.updated': updatedDeed(thing),
  'notification_channel.tested': {
    label: 'Tested',
    done: ({ name, details }) =>
      `tested the channel ${name}: the test ${details.delivered === true ? 'was delivered' : 'did not arrive'}`,
  },
  'notification_channel.retried': plainDeed('Retried', 'retried what could not be delivered to the channel'),
};
