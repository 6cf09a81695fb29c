import { expect, test } from 'vitest';
import { notificationKinds } from '../../../domain/notifications/notifications.ts';
import { incidentStates } from '../../../workflows/incident/descriptor.ts';
import { notificationDeliveryStates } from '../../../workflows/notification-delivery/descriptor.ts';
import { type Delivery, deliveryState, eventsText, kindName, pendingText, stateOf } from './channel-words.ts';

const channel = { enabled: true, failing: false, lastError: '' };
const lastDeliveredAt = '2026-11-22T12:00:00.000Z';

test('the state says what becomes of messages now: the last error counts more than an older delivery', () => {
  const word = (more: Partial<Parameters<typeof stateOf>[0]>) => stateOf({ ...channel, ...more }).word;
  expect(word({})).toBe('Not tested yet');
  expect(word({ lastDeliveredAt })).toBe('Working');
  expect(word({ lastDeliveredAt, failing: true })).toBe('Failing');
  // A test that did not arrive, or a message that was given up: nothing is retried any more.
  expect(word({ lastDeliveredAt, lastError: 'The other side answered 404. Gave up after 1 attempt.' })).toBe('Failing');
  expect(word({ enabled: false, failing: true, lastError: 'Connection refused.' })).toBe('Disabled');
});

test('the events of a channel are a sentence in the order of the kinds', () => {
  expect(eventsText(notificationKinds)).toBe('All events');
  expect(eventsText(['failure'])).toBe('Failures');
  expect(eventsText(['failure', 'warning'])).toBe('Failures and warnings');
  expect(eventsText(['approval', 'failure', 'deploy'])).toBe('Approvals, failures and deployments');
  expect(eventsText([])).toBe('');
});

test('each state of a delivery has a word, that of a message or that of an incident', () => {
  const of = { message: notificationDeliveryStates, incident: incidentStates } as const;
  for (const [kind, states] of Object.entries(of) as [Delivery['kind'], readonly Delivery['state'][]][]) {
    for (const state of ['queued', ...states] as const) expect(deliveryState({ kind, state }).word).toMatch(/^[A-Z]/);
  }
  expect(deliveryState({ kind: 'message', state: 'retrying' })).toEqual({ word: 'Retrying', tone: 'attention' });
  expect(deliveryState({ kind: 'incident', state: 'open' })).toEqual({ word: 'Open', tone: 'attention' });
});

test('a kind of channel, of event and of state that only a newer control plane has is shown by its name', () => {
  expect(kindName('carrier_pigeon')).toBe('carrier_pigeon');
  expect(eventsText(['failure', 'eclipse'])).toBe('Failures and eclipse');
  expect(deliveryState({ kind: 'message', state: 'flying' as never })).toEqual({ word: 'flying', tone: 'neutral' });
});

test('what waits is counted', () => {
  expect([pendingText(1), pendingText(12)]).toEqual(['1 message waits', '12 messages wait']);
});
