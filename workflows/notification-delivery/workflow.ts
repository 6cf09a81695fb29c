/**
 * One message on its way to one channel.
 *
 * Identity: `notification-delivery/<id of its row>`. Its history carries ids; message and secret are read for each attempt.
 *
 * States: sending until the first attempt has failed; then retrying, after 30 seconds, doubling up to an hour.
 *
 * Ends as: delivered; failed after 24 attempts, or at once where the other side refuses it for good; dropped when its channel is
 * disabled or deleted, which the row decides. An attempt whose answer was lost is made again: the message arrives at least
 * once.
 *
 * Cancelling it is an operator's act, not offered to users: the row fails with a message.
 */

import { defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { NotificationDeliveryActivities } from '../../activities/notification-delivery.ts';
import type { AttemptSays } from '../../domain/actors/actors.ts';
import { attemptByAttempt } from '../attempt-by-attempt.ts';
import { beginAttempt, inputOf } from '../attempts.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import {
  isDeliveryOver,
  type NotificationDeliveryInput,
  type NotificationDeliveryState,
  notificationDeliveryDescriptor,
} from './descriptor.ts';
import { adopt, begin, type DeliveryActor, hear, notificationDeliveryMessages } from './state.ts';

export const view = defineQuery<DeliveryActor>('view');

const { attemptDelivery, failDelivery } = proxyActivities<NotificationDeliveryActivities>({
  // An attempt may take ten of them.
  startToCloseTimeout: '25s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function notificationDelivery(input: NotificationDeliveryInput): Promise<NotificationDeliveryState> {
  const { deliveryId, organizationId } = input;
  const ref = { deliveryId, organizationId };
  const mailbox = new Mailbox(notificationDeliveryMessages, input.waiting);
  let actor = begin(input);
  setHandler(view, () => now());
  return await actorFrame<NotificationDeliveryState, NotificationDeliveryInput>({
    kind: 'notification-delivery',
    rowId: deliveryId,
    organizationId,
    input,
    mailbox,
    now: () => ({ ...ref, ...inputOf(actor) }),
    live: (frame: Frame) => attemptByAttempt(frame, { now, attempt, isOver: isDeliveryOver }),
    fail,
  });

  function now(): DeliveryActor {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) actor = hear(actor, message);
    return actor;
  }

  async function attempt(): Promise<AttemptSays<NotificationDeliveryState>> {
    actor = beginAttempt(now());
    const says = await attemptDelivery({ ...ref, revision: actor.revision });
    actor = adopt(now(), says, Date.now());
    return says;
  }

  async function fail(interruption: Interruption): Promise<NotificationDeliveryState> {
    const message = sentenceOf(interruption, notificationDeliveryDescriptor.interrupted);
    log.error('The delivery ends as failed', { message });
    return (await failDelivery({ ...ref, message })).state;
  }
}
