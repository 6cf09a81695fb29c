import type { AttemptSays } from '../../domain/actors/actors.ts';
import { type Attempts, adopt as adoptRow, ask, begin as beginAttempts, hear as note } from '../attempts.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields } from '../parse.ts';
import type { NotificationDeliveryInput, NotificationDeliveryState } from './descriptor.ts';

export const notificationDeliveryMessages = {
  /** Its channel has a new secret, or somebody does not want to wait. */
  tryAgain: fields({}),
} satisfies Messages;
export type DeliveryMessage = MessageOf<typeof notificationDeliveryMessages>;

/** Also the answer to the query `view`. */
export type DeliveryActor = Attempts<NotificationDeliveryState>;

export function begin(input: NotificationDeliveryInput): DeliveryActor {
  return beginAttempts(input, input.state ?? 'sending');
}

export function hear(actor: DeliveryActor, { told }: DeliveryMessage): DeliveryActor {
  return actor.heard.includes(told.id) ? actor : ask(note(actor, told));
}

export function adopt(actor: DeliveryActor, row: AttemptSays<NotificationDeliveryState>, now: number): DeliveryActor {
  return adoptRow(actor, row, now);
}
