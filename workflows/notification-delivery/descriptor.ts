import type { ActorDescriptor, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import type { AttemptsInput } from '../../domain/actors/actors.ts';
import { isoOf, numberOf, textOf } from '../../domain/actors/actors.ts';
import { notificationDeliveryWords } from './words.ts';

/** Sending until the first attempt has failed, then retrying; dropped when its channel is disabled or deleted. */
export const notificationDeliveryStates = ['sending', 'retrying', 'delivered', 'failed', 'dropped'] as const;
export type NotificationDeliveryState = (typeof notificationDeliveryStates)[number];

const final = ['delivered', 'failed', 'dropped'] as const satisfies readonly NotificationDeliveryState[];

export function isDeliveryOver(state: NotificationDeliveryState): boolean {
  return final.some((one) => one === state);
}

/** Ids alone: the message and the way to its channel are read for each attempt. */
export interface NotificationDeliveryInput extends AttemptsInput {
  deliveryId: string;
  organizationId: string;
  state?: NotificationDeliveryState;
}

export const notificationDeliveryDescriptor = {
  kind: 'notification-delivery',
  workflow: 'notificationDelivery',
  table: 'delivery',
  belongsTo: 'notification_channel',
  hint: 'notification_channel',
  lives: 'once',
  states: notificationDeliveryStates,
  final,
  ends: { delivered: 'succeeded', failed: 'failed', dropped: 'cancelled' } satisfies Record<
    (typeof final)[number],
    WorkflowEnd
  >,
  stages: [
    { name: 'send', title: 'Send', states: ['sending'] },
    { name: 'retry', title: 'Retry', states: ['retrying'] },
  ],
  // As the list of what was sent, which tells of all projects.
  readBy: { role: 'admin', projectTokens: false },
  gone: 'dropped',
  row: {
    name: "concat(channel.label, ': ', actor.title)",
    join: `join notification_channel channel
      on channel.organization_id = actor.organization_id and channel.id = actor.notification_channel_id`,
    overdue: "coalesce(actor.next_attempt_at, actor.created_at) < now() - interval '15 minutes'",
  },
  input: {
    from: (row): NotificationDeliveryInput => ({
      deliveryId: textOf(row.id),
      organizationId: textOf(row.organization_id),
      state: notificationDeliveryStates.find((state) => state === row.state) ?? 'sending',
      revision: numberOf(row.revision),
      ...(row.next_attempt_at === null ? {} : { dueAt: isoOf(row.next_attempt_at) }),
    }),
  },
  interrupted: (how) => `The workflow of this delivery ${how} before the message arrived.`,
  purge: { keeps: [] },
  activities: ['attemptDelivery', 'failDelivery'],
  readByRequester: false,
  words: notificationDeliveryWords,
} as const satisfies ActorDescriptor;
