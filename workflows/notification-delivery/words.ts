import { factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';
import { attempted, triedAgain, untilNextAttempt } from '../../domain/notifications/retries.ts';

const phases: Readonly<Record<string, string>> = {
  sending: 'the message is on its way',
  retrying: 'the message has not arrived yet',
  delivered: 'the message was delivered',
  failed: 'the message was not delivered',
  dropped: 'the message was dropped',
};
const phase = (state: string): string => phases[state] ?? `its state is ${state || 'not known'}`;

/** One message on its way to one channel. */
export const notificationDeliveryWords: ActorWords = {
  many: 'Deliveries',
  title: (name) => `Delivery: ${name}`,
  states: {
    sending: { word: 'Sending', tone: 'live' },
    retrying: { word: 'Retrying', tone: 'attention' },
    delivered: { word: 'Delivered', tone: 'good' },
    failed: { word: 'Failed', tone: 'fault' },
    dropped: { word: 'Dropped', tone: 'neutral' },
  },

  about: () => 'Delivers a notification to a channel.',

  activities: {
    attemptDelivery: {
      kind: 'asked',
      todo: () => 'send the message to the channel',
      done: (_, result) =>
        attempted(factsOf(result), {
          delivered: 'Sent the message; the channel accepted it',
          dropped: 'Dropped the message: its channel is disabled or deleted',
        }),
    },
    failDelivery: {
      kind: 'did',
      todo: () => 'record that the message was not delivered',
      done: (_, result) => ({ title: `Recorded that ${phase(textOf(factsOf(result).state))}`, outcome: 'failed' }),
    },
  },

  signals: { tryAgain: triedAgain },

  timer: untilNextAttempt,

  ended(result) {
    const state = textOf(result);
    return {
      title: `Ended: ${phase(state)}`,
      outcome: state === 'delivered' ? 'done' : state === 'failed' ? 'failed' : 'cancelled',
    };
  },

  idle: () => 'Waits for its next attempt.',
};
